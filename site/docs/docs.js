/* global SwaggerUIBundle */
import { explorerPlugin, nameControls } from "./explorer.js";
import { showStore } from "./store.js";

const REFRESH_MS = 5000;

const dark = matchMedia("(prefers-color-scheme: dark)");
const followColorScheme = () =>
  document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColorScheme);
followColorScheme();

SwaggerUIBundle({
  url: "/v2/openapi.json",
  dom_id: "#swagger-ui",
  plugins: [explorerPlugin],
  layout: "ExplorerLayout",
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { theme: "tomorrow-night" },
  // Neither asks another host about the document.
  validatorUrl: null,
  responseInterceptor(response) {
    if (!response.url.endsWith(".json")) void showStore();
    return response;
  },
});
nameControls(document.getElementById("swagger-ui"));

void showStore();
setInterval(() => {
  if (!document.hidden) void showStore();
}, REFRESH_MS);
