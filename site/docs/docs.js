// Swagger UI for the documents of both APIs; with ?sandbox={name}, for those of a sandbox.
// https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/

const DOCUMENTS = {
  "v2/openapi.json": "Petstore 2, OpenAPI 3.1",
  "v2/swagger.json": "Petstore 2, Swagger 2.0",
  "api/v3/openapi.json": "Petstore 3, OpenAPI 3.0",
};
const [first] = Object.keys(DOCUMENTS);

const element = (id) => document.getElementById(id);

const sandbox = new URLSearchParams(location.search).get("sandbox") ?? "";
const isSandbox = /^[\w-]{16,64}$/.test(sandbox);

// Relative, because a proxy may strip a prefix from the path.
const base = isSandbox ? `../sandboxes/${sandbox}/` : "../";
const urlOf = (path) => base + path;

/** Keeps the operations whose id, summary, path and method contain every word of the filter. */
function opsFilter(tags, filter) {
  const words = filter.toLowerCase().split(/\s+/);
  const matches = (item) => {
    const { operationId, summary } = item.get("operation").toObject();
    const text = [operationId, summary, item.get("path"), item.get("method")].join(" ");
    return words.every((word) => text.toLowerCase().includes(word));
  };
  return tags
    .map((tag) => tag.update("operations", (items) => items.filter(matches)))
    .filter((tag) => tag.get("operations").size > 0);
}

/** @param system what Swagger UI passes to a plugin, such as its copy of React */
function plugin({ React }) {
  const h = React.createElement;

  /** The layout without a main landmark and a choice of servers: the page has its own. */
  function Layout({ getComponent, specSelectors }) {
    const part = (each) => h(getComponent(each, true));
    if (specSelectors.loadingStatus() === "loading") {
      return h("p", { role: "status" }, "The document is loading.");
    }
    return h(
      "div",
      { className: "swagger-ui" },
      part("SvgAssets"),
      part("errors"),
      h(
        "div",
        { className: "line apart" },
        h("details", { className: "text" }, h("summary", null, h("h2", null, "Introduction")), part("InfoContainer")),
        part("AuthorizeBtnContainer"),
      ),
      part("operations"),
      part("Models"),
    );
  }

  /** The keyboard cannot reach a link inside a button. The button changes the address anyway. */
  const withoutLink =
    () =>
    ({ text }) =>
      h("span", null, text);

  return { components: { Layout }, fn: { opsFilter }, wrapComponents: { DeepLink: withoutLink } };
}

/** Adds the labels that Swagger UI leaves out, and lets the keyboard scroll what overflows. */
function label() {
  for (const operation of element("explorer").querySelectorAll(".opblock.is-open")) {
    const id = operation.id.split("-").at(-1);
    for (const control of operation.querySelectorAll(":is(input, select, textarea):not([aria-label])")) {
      const { paramName, propertyName } = control.closest("tr")?.dataset ?? {};
      const what = control.matches("textarea") ? "Body" : (paramName ?? propertyName ?? "Media type");
      control.ariaLabel = `${what} of ${id}`;
    }
    for (const code of operation.querySelectorAll("pre.microlight")) code.tabIndex = 0;
  }
  // In "Authorize": a cross without a name, buttons with other names than their texts, and headings of all levels.
  for (const button of element("explorer").querySelectorAll(".modal-ux button")) {
    button.ariaLabel = button.matches(".close-modal") ? "Close" : null;
  }
  for (const heading of element("explorer").querySelectorAll(".modal-ux-content :is(h2, h4, h6)")) {
    heading.ariaLevel = "4";
  }
}

new MutationObserver(label).observe(element("explorer"), { childList: true, subtree: true });

const { layoutActions, specActions } = globalThis.SwaggerUIBundle({
  domNode: element("explorer"),
  url: urlOf(first),
  plugins: [plugin],
  layout: "Layout",
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: false,
  // Do not send the document to another host for validation.
  validatorUrl: null,
});

element("document").append(...Object.entries(DOCUMENTS).map(([path, text]) => new Option(text, path)));
element("document").addEventListener("change", ({ target }) => {
  element("source").href = urlOf(target.value);
  specActions.updateUrl(urlOf(target.value));
  specActions.download(urlOf(target.value));
});
element("filter").addEventListener("input", ({ target }) => layoutActions.updateFilter(target.value));
element("source").href = urlOf(first);
if (isSandbox) {
  element("shared").hidden = true;
  element("own").hidden = false;
  Object.assign(element("own").querySelector("a"), { href: base, textContent: sandbox });
}
