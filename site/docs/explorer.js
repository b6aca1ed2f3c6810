// The operations with forms to try them: Swagger UI, with our changes.
// https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/

const isError = (code) => Number(code) >= 400;

/** The interfaces, by their base paths. The first is shown until another is chosen. */
const INTERFACES = { "/v2": "Petstore 2: /v2", "/api/v3": "Petstore 3: /api/v3" };

/**
 * Shows the operations of an interface.
 * @param store the path of the store; "" for the shared one
 * @param onAnswer is called after each request that somebody tries
 */
export async function showOperations(root, store, onAnswer = () => undefined) {
  root.textContent = "The operations are loading.";
  try {
    await Promise.all([
      load("link", { rel: "stylesheet", href: "/docs/vendor/swagger-ui.css" }),
      load("link", { rel: "stylesheet", href: "/docs/docs.css" }),
      load("script", { src: "/docs/vendor/swagger-ui-bundle.js" }),
    ]);
  } catch {
    root.textContent = "The operations could not be loaded.";
    return;
  }
  followColorScheme();
  const urlOf = (basePath) => `${store}${basePath}/openapi.json`;
  globalThis.SwaggerUIBundle({
    url: urlOf("/v2"),
    domNode: root,
    plugins: [(system) => explorerPlugin(system, urlOf)],
    layout: "ExplorerLayout",
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    syntaxHighlight: { theme: "tomorrow-night" },
    // Do not ask another host to check the document.
    validatorUrl: null,
    // The page tries the server that it comes from. A proxy in front of it may have another address than the document.
    requestInterceptor(request) {
      const { pathname, search } = new URL(request.url, location);
      return Object.assign(request, { url: location.origin + pathname + search });
    },
    responseInterceptor(response) {
      if (!response.url.endsWith("/openapi.json")) onAnswer();
      return response;
    },
  });
  nameControls(root);
}

function load(tag, attributes) {
  const created = Object.assign(document.createElement(tag), attributes);
  return new Promise((resolve, reject) => {
    created.addEventListener("load", resolve);
    created.addEventListener("error", reject);
    document.head.append(created);
  });
}

function followColorScheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}

/** Keeps the operations whose name, path, method or summary has the text. */
function opsFilter(tags, text) {
  const words = text.toLowerCase().split(/\s+/);
  const isMatch = (item) => {
    const { operationId, summary } = item.get("operation").toObject();
    const facts = [operationId, summary, item.get("path"), item.get("method")];
    const searched = facts.join(" ").toLowerCase();
    return words.every((word) => searched.includes(word));
  };
  return tags
    .map((tag) => tag.update("operations", (items) => items.filter(isMatch)))
    .filter((tag) => tag.get("operations").size > 0);
}

/**
 * @param system what Swagger UI gives a plugin, such as its own React
 * @param urlOf the URL of the document with this base path
 */
function explorerPlugin({ React }, urlOf) {
  const h = React.createElement;

  /** The layout without what the page has itself: the heading, the main landmark and the choice of a server. */
  function ExplorerLayout({ getComponent, specSelectors, specActions, layoutActions }) {
    const part = (name) => h(getComponent(name, true));
    const row = (...children) => h("div", { className: "wrapper" }, ...children);
    if (!specSelectors.specStr()) return h("p", { role: "status" }, "The operations are loading.");
    const filter = h("input", {
      type: "search",
      placeholder: "Filter the operations",
      "aria-label": "Filter the operations",
      onChange: ({ target }) => layoutActions.updateFilter(target.value),
    });
    const choice = h(
      "select",
      {
        "aria-label": "Interface",
        onChange: ({ target }) => {
          specActions.updateUrl(urlOf(target.value));
          specActions.download(urlOf(target.value));
        },
      },
      ...Object.entries(INTERFACES).map(([value, name]) => h("option", { value }, name)),
    );
    const introduction = h(
      "details",
      { className: "introduction" },
      h("summary", null, "Introduction: bodies, headers, lists, errors, limits"),
      part("InfoContainer"),
    );
    return h(
      "div",
      { className: "swagger-ui" },
      part("SvgAssets"),
      part("errors"),
      row(
        h(
          "div",
          { className: "tools" },
          h("h2", null, "Operations"),
          choice,
          filter,
          part("AuthorizeBtnContainer"),
        ),
        introduction,
      ),
      row(part("operations")),
      row(part("Models")),
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
    fn: { opsFilter },
    wrapComponents: { DeepLink: withoutLink, responses: withFoldedErrors },
  };
}

/** Names what Swagger UI shows without a name, and lets the keyboard reach it, now and whenever it shows more. */
function nameControls(root) {
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
