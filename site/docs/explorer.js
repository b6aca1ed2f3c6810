// The operations, with forms to try them: Swagger UI with our changes.
// https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/

/** `default` describes errors too. */
const isError = (code) => !(Number(code) < 400);

/** Whether the list of operations is at the side. */
const WIDE = matchMedia("(min-width: 1001px)");

/** The interfaces by their base paths. The first is the default. */
const INTERFACES = { "/v2": "Petstore 2: /v2", "/api/v3": "Petstore 3: /api/v3" };

/**
 * Shows the operations of an interface.
 * @param store the path of the sandbox; "" for the store at the root
 * @param onAnswer is called after each request that is tried
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
    // Do not send the document to another host for validation.
    validatorUrl: null,
    // Requests go to the page's origin. Behind a proxy, the document may name another one.
    requestInterceptor(request) {
      const { pathname, search } = new URL(request.url, location);
      return Object.assign(request, { url: location.origin + pathname + search });
    },
    responseInterceptor(response) {
      if (!response.url.endsWith("/openapi.json")) onAnswer();
      return response;
    },
  });
  const refresh = () => {
    nameControls(root);
    markCurrent(root);
  };
  new MutationObserver(refresh).observe(root, { childList: true, subtree: true });
  for (const event of ["scroll", "focusin"]) addEventListener(event, () => markCurrent(root));
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
  // Paper is white.
  const dark = matchMedia("screen and (prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}

/** Keeps the operations whose name, path, method and summary contain all words. */
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
 * @param system what Swagger UI passes to a plugin, such as its copy of React
 * @param urlOf returns the URL of the document for a base path
 */
function explorerPlugin({ React }, urlOf) {
  const h = React.createElement;

  /** Links to the operations that the filter keeps, by tag. */
  function OperationList({ fn, layoutActions, layoutSelectors, specSelectors }) {
    const filter = layoutSelectors.currentFilter();
    const tags = specSelectors.taggedOperations();
    const open = (event, tag, id) => {
      if (event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      layoutActions.show(["operations-tag", tag], true);
      layoutActions.show(["operations", tag, id], true);
      event.target.closest("details").open = WIDE.matches;
      requestAnimationFrame(() => {
        const operation = document.getElementById(`operations-${tag}-${id}`);
        operation.scrollIntoView();
        operation.querySelector(".opblock-summary-control").focus({ preventScroll: true });
      });
    };
    const itemOf = (item, tag) => {
      const id = item.getIn(["operation", "operationId"]);
      const verb = item.get("method");
      const method = h("span", { className: `method ${verb}` }, verb.toUpperCase());
      const onClick = (event) => open(event, tag, id);
      const link = h("a", { href: `#/${tag}/${id}`, onClick }, method, " ", id);
      return h("li", { key: id }, link);
    };
    const groupOf = ([tag, group]) => {
      const items = group.get("operations").map((item) => itemOf(item, tag));
      return h("section", { key: tag }, h("h3", null, tag), h("ul", null, ...items));
    };
    const shown = filter ? fn.opsFilter(tags, filter) : tags;
    return h(
      "details",
      { open: WIDE.matches },
      h("summary", null, h("h2", null, "Operations")),
      h("nav", { "aria-label": "Operations" }, ...shown.entrySeq().map(groupOf)),
    );
  }

  /** The layout without a heading, a main landmark and a choice of servers: the page has its own. */
  function ExplorerLayout(props) {
    const { getComponent, specSelectors, specActions, layoutActions } = props;
    const part = (name) => h(getComponent(name, true));
    const box = (className, ...children) => h("div", { className }, ...children);
    if (!specSelectors.specStr()) return h("p", { role: "status" }, "The operations are loading.");
    const filter = h("input", {
      className: "field",
      type: "search",
      placeholder: "Filter the operations",
      "aria-label": "Filter the operations",
      onChange: ({ target }) => layoutActions.updateFilter(target.value),
    });
    const choice = h(
      "select",
      {
        className: "field",
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
    return box(
      "wide explorer",
      box(
        "side",
        box("line", choice, filter, box("swagger-ui", part("AuthorizeBtnContainer"))),
        h(OperationList, props),
      ),
      box(
        "swagger-ui",
        part("SvgAssets"),
        part("errors"),
        introduction,
        part("operations"),
        part("Models"),
      ),
    );
  }

  /** The keyboard cannot reach a link inside a button. The button changes the address anyway. */
  const withoutLink =
    () =>
    ({ text }) =>
      h("span", null, text);

  /** Leaves out a description that only repeats the summary. */
  const withoutRepetition = (Operation) => (props) => {
    const { summary, description } = props.operation.get("op").toObject();
    const operation =
      description === `${summary}.`
        ? props.operation.deleteIn(["op", "description"])
        : props.operation;
    return h(Operation, { ...props, operation });
  };

  /** Hides the error answers until they are asked for. */
  const withFoldedErrors = (Responses) => (props) => {
    const [shown, setShown] = React.useState(false);
    const errors = props.responses.keySeq().count(isError);
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
    const responses = shown
      ? props.responses
      : props.responses.filterNot((_, code) => isError(code));
    return h(
      React.Fragment,
      null,
      h(Responses, { ...props, responses }),
      errors > 0 && h("div", { className: "responses-inner" }, button),
    );
  };

  return {
    components: { ExplorerLayout },
    fn: { opsFilter },
    wrapComponents: {
      DeepLink: withoutLink,
      operation: withoutRepetition,
      responses: withFoldedErrors,
    },
  };
}

/** Adds the labels that Swagger UI leaves out, and lets the keyboard reach what scrolls. */
function nameControls(root) {
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
    for (const code of operation.querySelectorAll("pre.microlight")) code.tabIndex = 0;
    label("table.live-responses-table", () => `Answer of ${id}`);
    label("table.responses-table", () => `Answers of ${id}`);
  }
}

/** Marks an operation in the list: the one in use, or the last one that begins in the top quarter. */
function markCurrent(root) {
  const focused = document.activeElement.getBoundingClientRect();
  const inView = focused.bottom > 0 && focused.top < innerHeight;
  const current =
    (inView && document.activeElement.closest(".opblock")) ||
    [...root.querySelectorAll(".opblock")].findLast(
      (each) => each.getBoundingClientRect().top < innerHeight / 4,
    );
  const id = current?.id.split("-").at(-1);
  for (const link of root.querySelectorAll(".side a")) {
    const isCurrent = link.hash.endsWith(`/${id}`);
    if (isCurrent === (link.ariaCurrent === "true")) continue;
    link.ariaCurrent = isCurrent ? "true" : null;
    const side = link.closest(".side");
    const [line, box] = [link.getBoundingClientRect(), side.getBoundingClientRect()];
    if (!isCurrent) continue;
    side.scrollTop += Math.min(0, line.top - box.top) + Math.max(0, line.bottom - box.bottom);
  }
}
