/* global SwaggerUIBundle */
import { explorerPlugin, nameControls } from "./explorer.js";
import { describe, makeStore, pathOf } from "./own-store.js";
import { showStore } from "./store.js";

const REFRESH_MS = 5000;

/** The key under which session storage keeps the name of the store of one's own. */
const REMEMBERED = "store";

const dark = matchMedia("(prefers-color-scheme: dark)");
const followColorScheme = () =>
  document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColorScheme);
followColorScheme();

const documentOf = (own) => `${own === undefined ? "" : pathOf(own)}/v2/openapi.json`;

const element = (id) => document.getElementById(id);

/** The name of the store of one's own that the page uses; `undefined` for the shared store. */
let own = await remembered();

/** It may have ended. */
async function remembered() {
  const store = sessionStorage.getItem(REMEMBERED) ?? undefined;
  return store !== undefined && (await describe(store).catch(() => undefined)) ? store : undefined;
}

function showChoice() {
  const isOwn = own !== undefined;
  element("choice").textContent = isOwn
    ? "This is a store of your own."
    : "This is the store that everyone shares.";
  element("use-own").hidden = isOwn;
  element("use-shared").hidden = !isOwn;
  element("own-page").hidden = !isOwn;
  if (isOwn) element("own-page").href = `${pathOf(own)}/`;
}

/** Uses another store: its document names its server. */
function use(store) {
  own = store;
  if (store === undefined) sessionStorage.removeItem(REMEMBERED);
  else sessionStorage.setItem(REMEMBERED, store);
  showChoice();
  ui.specActions.updateUrl(documentOf(own));
  ui.specActions.download(documentOf(own));
  void showStore(own);
}

element("use-own").addEventListener("click", async () => {
  try {
    use(await makeStore("classic"));
    element("use-shared").focus();
  } catch (error) {
    element("choice").textContent = `The service could not make a store: ${error.message}.`;
  }
});
element("use-shared").addEventListener("click", () => {
  use(undefined);
  element("use-own").focus();
});
showChoice();

const ui = SwaggerUIBundle({
  url: documentOf(own),
  dom_id: "#swagger-ui",
  plugins: [explorerPlugin],
  layout: "ExplorerLayout",
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { theme: "tomorrow-night" },
  // Do not ask another host to check the document.
  validatorUrl: null,
  responseInterceptor(response) {
    if (!response.url.endsWith(".json")) void showStore(own);
    return response;
  },
});
nameControls(document.getElementById("swagger-ui"));

void showStore(own);
setInterval(() => {
  if (!document.hidden) void showStore(own);
}, REFRESH_MS);
