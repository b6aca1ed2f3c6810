/* global SwaggerUIBundle */
import { showInventory } from "./inventory.js";

const REFRESH_MS = 5000;

const dark = matchMedia("(prefers-color-scheme: dark)");
const followColorScheme = () =>
  document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColorScheme);
followColorScheme();

SwaggerUIBundle({
  url: "/v2/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // Neither asks another host about the document.
  validatorUrl: null,
  responseInterceptor(response) {
    if (!response.url.endsWith(".json")) void showInventory();
    return response;
  },
});

void showInventory();
setInterval(() => {
  if (!document.hidden) void showInventory();
}, REFRESH_MS);
