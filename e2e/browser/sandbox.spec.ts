import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "@playwright/test";
import { looksRight, looksRightOnDesktop, test } from "./page.ts";

test("is accessible before the first request, and without a sandbox", async ({ page, sandbox }) => {
  await page.goto("/sandboxes/");
  await looksRight(page);
  await page.goto(`${sandbox.url}/`);
  await expect(page.getByText("Waiting for your first request")).toBeVisible();
  await looksRight(page);
  const answer = await page.goto("/sandboxes/short/");
  expect(answer?.status()).toBe(404);
  await expect(page.getByText("16 to 64")).toBeVisible();
  await looksRight(page);
  await page.getByRole("link", { name: "Make a sandbox" }).click();
  await expect(page.getByRole("button", { name: "Make a sandbox" })).toBeVisible();
});

test("shows each request as it comes, with its details", async ({ page, request, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  await expect(page.getByText("Waiting for your first request")).toBeVisible();
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
  await details.getByText("Headers").first().click();
  await expect(details).toContainText("content-type");
  await looksRight(page);
  await details.getByRole("button", { name: "Answer the next one like this with…" }).click();
  await looksRightOnDesktop(page);
  await page.keyboard.press("Escape");
  await expect(details.getByRole("button", { name: "503", exact: true })).toBeHidden();
  await expect(details).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(details).toBeHidden();
  await expect(rows.last()).toBeFocused();

  await page.getByLabel("Status", { exact: true }).selectOption("4xx");
  await expect(rows).toHaveCount(1);
  await page.getByRole("button", { name: "Clear" }).click();
  const dialog = page.getByRole("dialog", { name: "Clear the requests?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(rows).toHaveCount(1);
  await page.getByRole("button", { name: "Clear" }).click();
  await dialog.getByRole("button", { name: "Clear" }).click();
  await expect(page.getByText("Waiting for your first request")).toBeVisible();
});

test("makes a rule of its own, and changes one", async ({ page, request, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  const rules = page.locator("#rules");
  const form = page.getByRole("dialog", { name: "the rule" }).or(page.getByRole("dialog", { name: "Add a rule" }));
  await rules.getByRole("button", { name: "Your own rule" }).click();
  await form.getByText("More", { exact: true }).click();
  await form.getByLabel("Status", { exact: true }).fill("99");
  await form.getByLabel("Patch").fill("{");
  await form.getByRole("button", { name: "Add the rule" }).click();
  await expect(form.getByRole("alert")).toContainText("patch");
  await form.getByLabel("Patch").fill("");
  await form.getByRole("button", { name: "Add the rule" }).click();
  await expect(form.getByRole("alert")).toContainText("must be an integer from 200 to 599");
  await expect(form.getByLabel("Status", { exact: true })).toBeFocused();
  await looksRight(page);
  await form.getByLabel("Operation").selectOption("getInventory");
  await form.getByLabel("Status", { exact: true }).fill("503");
  await form.getByLabel("Headers").fill('{"x-a":"1"}');
  await form.getByLabel("Times").fill("1");
  await expect(form).toContainText("Next getInventory: 503, the header x-a: 1");
  await form.getByRole("button", { name: "Add the rule" }).click();
  await expect(rules.locator(".rule")).toContainText("Used: 0 of 1");

  const answer = await request.get(`${sandbox.url}/v2/store/inventory`);
  expect([answer.status(), answer.headers()["x-a"]]).toEqual([503, "1"]);
  await expect(rules.locator(".rule")).toContainText("Used up: 1 of 1");
  await rules.getByRole("button", { name: "Edit rule 1" }).click();
  await expect(form.getByLabel("Headers")).toHaveValue('{"x-a":"1"}');
  await form.getByLabel("Times").fill("2");
  await form.getByRole("button", { name: "Save the rule" }).click();
  await expect(rules.locator(".rule")).toContainText("Used: 0 of 2");
  await rules.getByLabel("Add a rule for").selectOption("getPetById");
  await rules.getByRole("button", { name: "Slow" }).click();
  await expect(rules.locator(".rule").first()).toContainText("Every getPetById: 3000 ms late");
  await rules.getByRole("button", { name: "Remove rule 1" }).click();
  await expect(rules.locator(".rule")).toHaveCount(1);
  await rules.getByRole("button", { name: "Remove all" }).click();
  await expect(rules.locator(".rule")).toHaveCount(0);
});

test("edits one pet inside the JSON, opens a file, and asks before changes are lost", async ({ page, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  const data = page.locator("#data");
  await data.locator("summary", { hasText: "Pets" }).click();
  await data.getByRole("button", { name: "Edit 3 in pets" }).click();
  const editor = page.getByRole("dialog", { name: "Data as JSON" });
  const json = editor.getByRole("textbox");
  const selected = await json.evaluate((field: HTMLTextAreaElement) =>
    field.value.slice(field.selectionStart, field.selectionEnd),
  );
  expect(selected).toContain('"name": "Cat 3"');
  expect(selected).not.toContain("Dog 1");

  const file = { name: "data.json", mimeType: "application/json", buffer: Buffer.from('{"orders":[{"petId":1e3}]}') };
  await page.locator("input[type=file]").setInputFiles(file);
  await expect(json).toHaveValue(/"petId": 1e3/);
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(json).toHaveValue(/"petId": 1e3/);
  // No number is rounded.
  await json.fill('{"orders":[{"petId":9007199254740993}]}');
  await editor.getByRole("button", { name: "Replace all data" }).click();
  await expect(editor.getByRole("alert")).toContainText("orders.0.petId must be an integer");
  await looksRight(page);
  await expect(json).toHaveValue(/"petId": 9007199254740993/);
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(editor).toBeHidden();

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    data.getByRole("link", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${sandbox.name}.json`);
  await data.getByRole("button", { name: "Classic data" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
  await expect(page.getByText("10 pets · 3 orders · 10 users")).toBeVisible();
});

test("protects the sandbox, and makes it again after it was deleted elsewhere", async ({ page, request, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  await page.getByRole("button", { name: "Access: open" }).click();
  const question = page.getByRole("dialog", { name: "Protect the operations?" });
  await looksRight(page);
  await question.getByLabel("API key").fill("a key of this test");
  await question.getByRole("button", { name: "Protect" }).click();
  await expect(page.getByRole("status")).toHaveText("The access is protected.");
  expect((await request.delete(`${sandbox.url}/v2/pet/1`)).status()).toBe(401);
  await page.getByRole("button", { name: "Access: protected" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Open" }).click();
  await expect(page.getByRole("button", { name: "Access: open" })).toBeVisible();

  await page.getByRole("button", { name: "Reset" }).click();
  // Another tab chose the data.
  await expect(page.getByLabel("The data will be")).toHaveValue('{"data":"classic"}');
  await looksRightOnDesktop(page);
  await page.keyboard.press("Escape");

  await request.delete(sandbox.url);
  await expect(page.getByText("There is no sandbox of this name.")).toBeVisible();
  await looksRight(page);
  await page.getByRole("button", { name: "Make it again" }).click();
  await expect(page.getByText("10 pets")).toBeVisible();
});

test("says that the connection is lost, and why an action failed", async ({ page, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  await expect(page.getByText("Waiting for your first request")).toBeVisible();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Slow" }).click();
  await expect(page.locator("#rules").getByRole("alert")).toContainText("The service does not answer.");
  await looksRight(page);
  await page.context().setOffline(false);
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
