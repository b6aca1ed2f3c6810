import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "@playwright/test";
import { looksRight, test } from "./page.ts";

test("makes a sandbox with the keyboard alone", async ({ page, request }) => {
  await page.goto("/sandboxes/");
  await looksRight(page);
  const make = page.getByRole("button", { name: "Make a sandbox" });
  while (!(await make.evaluate((button) => button.matches(":focus")))) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/sandboxes\/[\w-]{36}\/$/);
  await expect(page.getByText("10 pets")).toBeVisible();
  await request.delete(page.url());
});

test("opens a sandbox by its name", async ({ page, sandbox }) => {
  await page.goto("/sandboxes/");
  await page.getByLabel("Name", { exact: true }).fill(sandbox.name);
  await page.getByRole("button", { name: "Open" }).click();
  await expect(page.getByRole("heading", { name: sandbox.name })).toBeVisible();
});

test("shows each request as it comes, with its details", async ({ page, request, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  await expect(page.getByText("No requests yet")).toBeVisible();
  await request.post(`${sandbox.url}/v2/pet`, { data: { name: "" } });
  await request.get(`${sandbox.url}/v2/store/inventory`);
  const rows = page.locator("#rows a");
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText("getInventory");
  await expect(rows.last()).toContainText("405");

  await rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const details = page.locator("#details");
  await expect(details).toContainText("photoUrls is required");
  await expect(details).toContainText("content-type");
  await looksRight(page);
  await page.keyboard.press("Escape");
  await expect(details).toContainText("Use it");

  await page.getByLabel("Any status").selectOption("4xx");
  await expect(rows).toHaveCount(1);
  const [har] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download as HAR" }).click(),
  ]);
  expect(har.suggestedFilename()).toBe(`${sandbox.name}.har`);
});

test("makes answers wrong by rules", async ({ page, request, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  const rules = page.locator("#rules");
  await rules.getByText("Add a rule").click();
  const add = rules.getByRole("button", { name: "Add the rule" });
  const status = rules.getByRole("spinbutton", { name: "Status" });
  await status.fill("99");
  await add.click();
  await expect(rules.getByRole("alert")).toContainText("200");
  await rules.getByRole("combobox", { name: "Operation" }).selectOption("getInventory");
  await status.fill("503");
  await rules.getByLabel("Times (empty: always)").fill("1");
  await expect(rules.locator("#sentence")).toContainText("503");
  await looksRight(page);
  await add.click();
  await expect(rules.locator(".rule")).toContainText("Used: 0 of 1.");

  expect((await request.get(`${sandbox.url}/v2/store/inventory`)).status()).toBe(503);
  await expect(page.locator("#rows a").first()).toContainText("rule");
  await expect(rules.locator(".rule")).toContainText("Used: 1 of 1.");
  await page.locator("#rows a").first().click();
  await page.getByRole("button", { name: "Answer the next one with 503" }).click();
  await expect(rules.locator(".rule")).toHaveCount(2);
  expect((await request.get(`${sandbox.url}/v2/store/inventory`)).status()).toBe(503);
  await rules.getByRole("button", { name: "Remove all" }).click();
  await expect(rules.locator(".rule")).toHaveCount(0);
  expect((await request.get(`${sandbox.url}/v2/store/inventory`)).status()).toBe(200);
});

test("replaces the data, protects the sandbox, and deletes it", async ({ page, request, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  const data = page.locator("#data");
  await data.getByText("Pets", { exact: false }).first().click();
  await expect(data.getByRole("cell", { name: "Cat 1" })).toBeVisible();
  await data.getByText("Access", { exact: false }).first().click();
  await looksRight(page);
  await data.getByRole("combobox", { name: "Access" }).selectOption("protected");
  await data.getByRole("textbox", { name: "API key, if protected" }).fill("a key of this test");
  await data.getByRole("button", { name: "Set the access" }).click();
  await expect(page.getByRole("status")).toHaveText("Access is protected.");
  expect((await request.delete(`${sandbox.url}/v2/pet/1`)).status()).toBe(401);

  await data.getByRole("button", { name: "no data" }).click();
  await expect(page.getByText("0 pets")).toBeVisible();
  await data.getByRole("button", { name: "Delete the sandbox" }).click();
  await expect(page).toHaveURL(/\/sandboxes\/$/);
  await page.goto(`${sandbox.url}/`);
  await expect(page.getByText("There is no sandbox of this name.")).toBeVisible();
  await looksRight(page);
  await page.getByRole("button", { name: "Make it" }).click();
  await expect(page.getByText("10 pets")).toBeVisible();
});

test("is not read by pages of other origins", async ({ browser, sandbox }) => {
  const other = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<p>"));
  await once(other.listen(0, "127.0.0.1"), "listening");
  const { port } = other.address() as AddressInfo;
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const outcomes = await page.evaluate(async (url) => {
    const read = async (path: string) =>
      fetch(url + path).then(
        async (answer) => answer.status,
        () => "refused",
      );
    const watched = await new Promise((resolve) => {
      const socket = new WebSocket(`${url.replace("http", "ws")}/requests`);
      socket.addEventListener("open", () => resolve("open"));
      socket.addEventListener("error", () => resolve("refused"));
    });
    return [await read("/v2/pet/1"), await read("/requests"), await read("/data"), watched];
  }, sandbox.url);
  await page.close();
  other.close();
  expect(outcomes).toEqual([200, "refused", "refused", "refused"]);
});
