import { defineConfig } from "@playwright/test";

const PORT = 8788;

export default defineConfig({
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    // Defaults to the browser that `npx playwright install` installs.
    launchOptions: { executablePath: process.env.CHROMIUM },
  },
  webServer: {
    command: `npx --no-install pet-store-service --port ${PORT} --quiet`,
    url: `http://127.0.0.1:${PORT}/health`,
  },
});
