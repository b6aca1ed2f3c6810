import { defineConfig } from "@playwright/test";

export default defineConfig({
  forbidOnly: true,
  // Long, because machines may be busy.
  timeout: 600_000,
  expect: { timeout: 20_000 },
  // A test that passes only the second time is reported as flaky.
  retries: 1,
  reporter: "list",
  workers: 1,
  use: {
    baseURL: process.env["SERVICE"],
    launchOptions: { executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium" },
    permissions: ["clipboard-read", "clipboard-write"],
    trace: "off",
  },
});
