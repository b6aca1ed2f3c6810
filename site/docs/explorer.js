// A plugin with our changes to Swagger UI.
// https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/

const isError = (code) => code === "default" || Number(code) >= 400;

/** @param system what Swagger UI gives a plugin, such as its own React */
export function explorerPlugin({ React }) {
  const h = React.createElement;

  /** The layout without what the page has itself: the heading, the main landmark and the choice of a server. */
  function ExplorerLayout({ getComponent, specSelectors }) {
    const part = (name) => h(getComponent(name, true));
    const row = (name) => h("div", { className: "wrapper" }, part(name));
    if (!specSelectors.specStr()) return h("p", { role: "status" }, "The operations are loading.");
    return h(
      "div",
      { className: "swagger-ui" },
      part("SvgAssets"),
      part("errors"),
      row("InfoContainer"),
      row("AuthorizeBtnContainer"),
      row("operations"),
      row("Models"),
    );
  }

  /** A keyboard cannot reach a link inside a button. The button already changes the address. */
  const withoutLink =
    () =>
    ({ text }) =>
      h("span", null, text);

  /** Shows successful answers immediately, and the others on request. */
  const withFoldedErrors = (Responses) => (props) => {
    const [shown, setShown] = React.useState(false);
    const errors = props.responses.keySeq().filter(isError).count();
    const button = h(
      "button",
      {
        type: "button",
        className: "btn fold-errors",
        "aria-expanded": shown,
        onClick: () => setShown(!shown),
      },
      `${shown ? "Hide" : "Show"} ${errors} error answers`,
    );
    return h(
      "div",
      { className: shown ? undefined : "errors-folded" },
      h(Responses, props),
      errors > 0 && h("div", { className: "fold-errors-row" }, button),
    );
  };

  return {
    components: { ExplorerLayout },
    wrapComponents: { DeepLink: withoutLink, responses: withFoldedErrors },
  };
}

/** Names what Swagger UI shows without a name, and lets the keyboard reach it, now and whenever it shows more. */
export function nameControls(root) {
  const name = () => {
    for (const operation of root.querySelectorAll(".opblock.is-open")) {
      const id = operation.id.split("-").at(-1);
      const label = (selector, text) => {
        for (const control of operation.querySelectorAll(`${selector}:not([aria-label])`)) {
          control.setAttribute("aria-label", text(control));
        }
      };
      label("textarea", () => `Request body of ${id}`);
      label("input, select", (control) => {
        const row = control.closest("tr");
        const parameter = row?.dataset.paramName ?? row?.dataset.propertyName;
        return `${parameter ?? "Media type"} of ${id}`;
      });
      // A keyboard must be able to reach everything that scrolls.
      for (const code of operation.querySelectorAll("pre.microlight")) code.tabIndex = 0;
      label("table.live-responses-table", () => `Answer of ${id}`);
      label("table.responses-table", () => `Answers of ${id}`);
    }
  };
  new MutationObserver(name).observe(root, { childList: true, subtree: true });
  name();
}
