import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { expect, type Locator } from "@playwright/test";
import { copied, looksRight, looksRightOnDesktop, test } from "./page.ts";

/** Adds a rule of the panel. */
async function press(rules: Locator, name: string): Promise<void> {
  const preset = rules.getByRole("button", { name });
  await expect(rules).toBeVisible();
  if (!(await preset.isVisible())) await rules.getByText("Add a rule").click();
  await preset.click();
}

test("is accessible without a sandbox", async ({ page }) => {
  await page.goto("/sandboxes/");
  await looksRight(page);
  const response = await page.goto("/sandboxes/short/");
  expect(response?.status()).toBe(404);
  await expect(page.getByText("16 to 64")).toBeVisible();
  await looksRight(page);
  await page.getByRole("link", { name: "Create a sandbox" }).click();
  await expect(page.getByRole("button", { name: "Create", exact: true })).toBeVisible();
});

test("lists the sandboxes that were opened in this browser, and removes one from the list", async ({
  page,
  sandbox,
}) => {
  const other = `${sandbox.url.slice(0, -sandbox.name.length)}never-used-${Date.now()}`;
  await page.goto(`${other}/`);
  await expect(page.getByText("It was never created, was deleted, or expired.")).toBeVisible();
  await page.goto(`${sandbox.url}/`);
  await expect(page.getByText("Waiting for your first request")).toBeVisible();
  await page.goto("/sandboxes/");
  const recent = page.getByRole("region", { name: "Recent sandboxes" });
  await expect(recent.getByRole("listitem")).toHaveCount(2);
  await expect(recent.getByRole("listitem").last()).toContainText("deleted");
  await looksRight(page);
  await recent.getByRole("button", { name: /^Remove never-used/ }).click();
  await expect(recent.getByRole("listitem")).toHaveCount(1);
  await recent.getByRole("link", { name: sandbox.name }).click();
  await expect(page).toHaveURL(`${sandbox.url}/`);
  await page.goto("/sandboxes/");
});

for (const [language, command] of [
  ["curl", ["sh", "-c"]],
  ["JavaScript", ["node", "--input-type=module", "-e"]],
  ["Python", ["python3", "-c"]],
] as const) {
  test(`shows how to create a sandbox with ${language}`, async ({ page, request }) => {
    await page.goto("/sandboxes/");
    await page.getByRole("radio", { name: language }).check();
    const code = await copied(page, async () =>
      page.getByRole("button", { name: `Copy the ${language} code` }).click(),
    );
    const [program, ...args] = command;
    const { stdout } = await promisify(execFile)(program, [...args, code]);
    const [, url = ""] = /(http[^"\s]+\/v2)/.exec(stdout) ?? [];
    expect((await request.get(`${url}/pet/1`)).status()).toBe(200);
  });
}

test("gives a sandbox a nickname, which the list of recent sandboxes shows", async ({ page, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  await page.getByRole("button", { name: "Edit the nickname" }).click();
  await page.getByRole("textbox", { name: "Nickname" }).fill("Checkout tests");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Checkout tests" })).toBeVisible();
  await expect(page).toHaveTitle(/^Checkout tests/);
  await page.goto("/sandboxes/");
  await page.getByRole("link", { name: "Checkout tests" }).click();
  await expect(page.getByRole("heading", { name: "Checkout tests" })).toBeVisible();
  await expect(page).toHaveURL(`${sandbox.url}/`);
});

test("works where the browser blocks storage", async ({ page }) => {
  await page.addInitScript(() => {
    for (const storage of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(globalThis, storage, {
        get() {
          throw new DOMException("Access is denied", "SecurityError");
        },
      });
    }
  });
  await page.goto("/sandboxes/");
  await expect(page.getByText("The sandboxes that you open appear here.")).toBeVisible();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("button", { name: "Edit the nickname" }).click();
  await page.getByRole("textbox", { name: "Nickname" }).fill("Mine");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Mine" })).toBeVisible();
  await page.getByRole("button", { name: "Reset" }).click();
  await page.getByLabel("The sandbox starts over with").selectOption("no data");
  await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
  await expect(page.getByText("0 pets")).toBeVisible();
});

test("shows each request as it comes, with its details", async ({ page, request, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  await expect(page.getByText("Waiting for your first request")).toBeVisible();
  await request.post(`${sandbox.url}/v2/pet`, { data: { name: "" } });
  await request.get(`${sandbox.url}/v2/store/inventory`);
  const rows = page.locator("#rows a");
  await expect(rows).toHaveCount(2);
  await expect(page.getByRole("heading", { name: "Requests 2" })).toBeVisible();
  await expect(rows.first()).toContainText("getInventory");
  await expect(rows.last()).toContainText("405");

  await rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const details = page.locator("#details");
  await expect(details).toContainText("photoUrls is required");
  await expect(details).toContainText("content-type");
  await details.getByLabel("Request", { exact: true }).check();
  await expect(details.getByRole("group", { name: "JSON" })).toHaveText(/^\{\s*"name": ""\s*\}$/, {
    useInnerText: true,
  });
  expect(await copied(page, async () => details.getByRole("button", { name: "Copy body" }).click())).toBe(
    '{\n  "name": ""\n}',
  );
  await looksRight(page);
  await details.locator(".json summary").click();
  await expect(details.getByText('"name": ""')).toBeHidden();
  await details.getByRole("button", { name: "Respond to the next one with…" }).click();
  await looksRightOnDesktop(page);
  await page.keyboard.press("Escape");
  await expect(details.getByRole("button", { name: "Fail once" })).toBeHidden();
  await expect(details).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(details).toBeHidden();
  await expect(rows.last()).toBeFocused();

  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("combobox", { name: "Status" }).selectOption("4xx");
  await expect(rows).toHaveCount(1);
  await looksRightOnDesktop(page);
  await page.getByRole("combobox", { name: "Status" }).selectOption("");
  await page.getByLabel("Search by path").fill("INVENTORY");
  await expect(rows).toHaveCount(1);
  await page.getByLabel("Changed by a rule").check();
  await expect(page.getByText("No request matches the filter.")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Clear the request log?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("heading", { name: "Requests 2" })).toBeVisible();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await dialog.getByRole("button", { name: "Clear" }).click();
  await expect(page.getByText("Waiting for your first request")).toBeVisible();
});

test("holds new requests back only while the list is paused, scrolled, or has the focus", async ({
  page,
  request,
  sandbox,
}) => {
  const send = async (count: number) => {
    for (let sent = 0; sent < count; sent++) await request.get(`${sandbox.url}/v2/pet/1`);
  };
  await page.goto(`${sandbox.url}/`);
  await expect(page.getByText("Waiting for your first request")).toBeVisible();
  await send(40);
  const rows = page.locator("#rows a");
  await expect(rows).toHaveCount(40);
  await rows.first().hover();
  await send(1);
  await expect(rows).toHaveCount(41);

  await page.locator("#rows").evaluate((list) => (list.scrollTop = 200));
  await send(3);
  await page.getByRole("button", { name: "Show 3 new" }).click();
  await expect(rows).toHaveCount(44);
  await rows.first().focus();
  await send(2);
  await expect(page.getByRole("button", { name: "Show 2 new" })).toBeVisible();
  await expect(rows).toHaveCount(44);
  await page.getByLabel("Search by path").focus();
  await expect(rows).toHaveCount(46);
  await page.getByRole("button", { name: "Pause" }).click();
  await send(1);
  await expect(page.getByRole("button", { name: "Show 1 new" })).toBeVisible();
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(rows).toHaveCount(47);
});

test("sends a logged request again, without its hidden credentials", async ({ page, request, sandbox }) => {
  await request.post(`${sandbox.url}/v2/pet`, {
    data: { id: 77, name: "Rex", photoUrls: [] },
    headers: { "X-API-Key": "a key of this test", "x-test": "1" },
  });
  await page.goto(`${sandbox.url}/`);
  const rows = page.locator("#rows a");
  await rows.first().click();
  const details = page.locator("#details");
  await expect(details).toContainText("logged like any request");
  await details.getByRole("button", { name: "Send again" }).click();
  await expect(page.getByRole("status")).toHaveText("Sent again: 200. The newest request is yours.");
  await expect(rows).toHaveCount(2);
  const [again] = (await (await request.get(`${sandbox.url}/requests?limit=1`)).json()) as [Record<string, unknown>];
  expect(again["requestBody"]).toBe('{"id":77,"name":"Rex","photoUrls":[]}');
  expect(again["requestHeaders"]).toMatchObject({ "x-test": "1", "content-type": "application/json" });
  expect(again["requestHeaders"]).not.toHaveProperty("x-api-key");
});

test("creates a custom rule, and changes it", async ({ page, request, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  const rules = page.locator("#rules");
  const form = page.getByRole("dialog", { name: /the rule|a rule/ });
  await press(rules, "Custom rule…");
  await form.getByText("Headers, body, patch").click();
  await form.getByLabel("Status", { exact: true }).fill("99");
  await form.getByLabel("Patch").fill("{");
  await form.getByRole("button", { name: "Add the rule" }).click();
  await expect(form.getByLabel("Status", { exact: true })).toBeFocused();
  await expect(form.getByLabel("Patch")).toHaveAccessibleDescription(/is not JSON/);
  await expect(form.locator(".note")).toBeHidden();
  await looksRight(page);
  await form.getByLabel("Patch").fill("");
  await form.getByLabel("Status", { exact: true }).fill("503");
  await form.getByLabel("Headers as JSON, null to remove").fill('{"host":"1"}');
  await form.getByRole("button", { name: "Add the rule" }).click();
  await expect(form.getByLabel("Headers as JSON, null to remove")).toHaveAccessibleDescription(
    "is not a header that a rule can set",
  );
  await form.getByLabel("Operation").selectOption("getInventory");
  await form.getByLabel("Headers as JSON, null to remove").fill('{"x-a":"1"}');
  await form.getByLabel("Times").fill("1");
  await expect(form).toContainText("The next getInventory request gets a 503 and the header x-a: 1");
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await form.getByRole("button", { name: "Add the rule" }).click();
  await expect(rules.locator(".rule")).toContainText("Applied: 0 of 1");

  const response = await request.get(`${sandbox.url}/v2/store/inventory`);
  expect([response.status(), response.headers()["x-a"]]).toEqual([503, "1"]);
  await rules.getByText("1 used up", { exact: true }).click();
  await expect(rules.locator(".rule")).toContainText("Used up: 1 of 1");
  await rules.getByRole("button", { name: "Edit rule 1" }).click();
  await expect(form.getByLabel("Headers as JSON, null to remove")).toHaveValue('{"x-a":"1"}');
  await form.getByLabel("Times").fill("2");
  await form.getByRole("button", { name: "Save the rule" }).click();
  await expect(rules.locator(".rule")).toContainText("Applied: 0 of 2");
  await rules.getByRole("button", { name: "Edit rule 1" }).click();
  await expect(form).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(form).toBeHidden();
});

test("writes and reads every field of a rule in the form", async ({ page, request, sandbox }) => {
  await page.goto(`${sandbox.url}/`);
  const rules = page.locator("#rules");
  const form = page.getByRole("dialog", { name: /the rule|a rule/ });
  const field = (name: string) => form.locator(`[name="${name}"]`);
  const add = async (texts: Readonly<Record<string, string>>, choices: Readonly<Record<string, string>> = {}) => {
    await press(rules, "Custom rule…");
    await expect(form).toBeVisible();
    await form.locator("details").evaluateAll((all) => all.forEach((details) => details.setAttribute("open", "")));
    for (const [name, text] of Object.entries(texts)) await field(name).fill(text);
    for (const [name, value] of Object.entries(choices)) await field(name).selectOption(value);
  };
  const save = async (name: string) => {
    await form.getByRole("button", { name }).click();
    await expect(form).toBeHidden();
  };
  const added = async (): Promise<unknown> => (await request.get(`${sandbox.url}/faults`)).json();

  await add(
    {
      path: "/pet",
      "match.query": '{"a":"1"}',
      "match.headers": '{"x-test":null}',
      "match.body": '{"name":"Rex"}',
      status: "302",
      delayMs: "10",
      "delayMs.1": "20",
      location: "/pet/2",
      times: "2",
    },
    { operationId: "addPet", method: "POST" },
  );
  await form.getByLabel("Perform the request first").check();
  await expect(form.locator(".note")).toHaveText(
    /The next 2 addPet POST \/pet requests with the parameter a=1, no header x-test and {"name":"Rex"} in the body are/,
  );
  await looksRightOnDesktop(page);
  await save("Add the rule");
  const redirect = {
    operationId: "addPet",
    method: "POST",
    path: "/pet",
    match: { query: { a: "1" }, headers: { "x-test": null }, body: { name: "Rex" } },
    status: 302,
    after: true,
    location: "/pet/2",
    delayMs: [10, 20],
    times: 2,
    used: 0,
  };
  expect(await added()).toContainEqual(redirect);
  await rules.getByRole("button", { name: "Edit rule 1" }).click();
  await form.getByLabel("Times").fill("3");
  await save("Save the rule");
  expect(await added()).toContainEqual({ ...redirect, times: 3 });

  await add({
    slowMs: "10",
    headers: '{"x-a":null}',
    patch: '{"name":null}',
    every: "2",
    chance: "0.5",
  });
  await save("Add the rule");
  const slow = { slowMs: 10, headers: { "x-a": null }, patch: { name: null }, every: 2, chance: 0.5, used: 0 };
  expect(await added()).toContainEqual(slow);

  await add({ status: "503", retryAfter: "1", body: "a\nb" });
  await save("Add the rule");
  expect(await added()).toContainEqual({ status: 503, retryAfter: 1, body: "a\nb", used: 0 });

  await add({}, { break: "connection" });
  await expect(form.locator(".note")).toContainText("Every request gets a closed connection instead of a response");
  await save("Add the rule");
  await request.get(`${sandbox.url}/v2/pet/1`, { maxRetries: 0 }).catch(() => undefined);
  await expect(page.locator("#rows a", { hasText: "none" }).first()).toBeVisible();
});

test("puts a new rule where it keeps no other from applying, and marks a rule that was moved where it never applies", async ({
  page,
  request,
  sandbox,
}) => {
  await page.goto(`${sandbox.url}/`);
  const rules = page.locator("#rules");
  const items = rules.locator(".rule");
  await press(rules, "Fail once");
  await expect(items.first()).toBeFocused();
  await press(rules, "Slow");
  await expect(page.getByRole("status")).toHaveText("The rule is active, as rule 2.");
  await expect(items.first()).toContainText("The next request gets a 503");
  await rules.getByLabel("For").selectOption("getPetById");
  await press(rules, "Missing field");
  await expect(page.getByRole("status")).toHaveText("The rule is active and comes first.");
  await expect(items.first()).toContainText("Every getPetById request");
  await expect(rules.getByText("Never applied")).toHaveCount(0);
  // All three apply.
  expect(await (await request.get(`${sandbox.url}/v2/pet/1`)).json()).not.toHaveProperty("id");
  expect((await request.get(`${sandbox.url}/v2/store/inventory`)).status()).toBe(503);
  await request.get(`${sandbox.url}/v2/store/inventory`);
  await expect(rules.getByText("Applied: 1")).toHaveCount(2);
  await expect(rules.getByText("1 used up", { exact: true })).toBeVisible();

  await rules.getByRole("button", { name: "Move down rule 1" }).click();
  await expect(rules.locator("#rule-3")).toBeFocused();
  await expect(rules.locator("#rule-3")).toContainText("Never applied: rule 2 matches the same requests first.");
  await looksRightOnDesktop(page);
  await rules.getByRole("button", { name: "Move up rule 3" }).click();
  await expect(rules.getByText("Never applied")).toHaveCount(0);
  await rules.getByRole("button", { name: "Remove rule 2" }).click();
  await expect(items).toHaveCount(2);
  await rules.getByRole("button", { name: "Remove all" }).click();
  await expect(items).toHaveCount(0);
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
  await data.getByRole("button", { name: "Edit or paste JSON" }).click();
  await expect(json).toBeFocused();
  await page.keyboard.press("Escape");

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    data.getByRole("link", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${sandbox.name}.json`);
  await data.getByRole("button", { name: "Classic data" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
  await expect(page.getByText("10 pets · 3 orders · 10 users")).toBeVisible();
});

test("protects the sandbox, and creates it again after it was deleted elsewhere", async ({
  page,
  request,
  sandbox,
}) => {
  await page.goto(`${sandbox.url}/`);
  const more = page.getByRole("button", { name: "More", exact: true });
  const access = page.getByRole("switch", { name: "Protected access" });
  await more.click();
  await access.click();
  const question = page.getByRole("dialog", { name: "Protect the operations?" });
  await looksRightOnDesktop(page);
  await page.keyboard.press("Escape");
  await expect(more).toBeFocused();
  await more.click();
  await expect(access).not.toBeChecked();
  await access.click();
  await question.getByLabel("API key").fill("a key of this test");
  await question.getByRole("button", { name: "Protect" }).click();
  await expect(page.getByRole("status")).toHaveText("The access is protected.");
  expect((await request.delete(`${sandbox.url}/v2/pet/1`)).status()).toBe(401);
  await more.click();
  await expect(access).toBeChecked();
  await access.click();
  await page.getByRole("dialog").getByRole("button", { name: "Open" }).click();
  await expect(page.getByRole("status")).toHaveText("The access is open.");

  await page.getByRole("button", { name: "Reset" }).click();
  // Another tab chose the data.
  await expect(page.getByLabel("The sandbox starts over with")).toHaveValue('{"data":"classic"}');
  await looksRightOnDesktop(page);
  await page.keyboard.press("Escape");
  await more.click();
  await expect(access).not.toBeChecked();
  await expect(page.getByText("creates a new, empty sandbox with open access")).toBeVisible();
  await looksRightOnDesktop(page);

  await request.delete(sandbox.url);
  await expect(page.getByText("There is no sandbox with this name now.")).toBeVisible();
  await looksRight(page);
  await page.getByRole("button", { name: "Create it with the classic data" }).click();
  await expect(page.getByText("10 pets")).toBeVisible();
});

test("is not read by pages of other origins", async ({ browser, sandbox }) => {
  const other = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<p>"));
  await once(other.listen(0, "127.0.0.1"), "listening");
  const { port } = other.address() as AddressInfo;
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const outcomes = await page.evaluate(async (url) => {
    const read = async (path: string) =>
      fetch(url + path).then(
        async (response) => response.status,
        () => "rejected",
      );
    const watched = await new Promise((resolve) => {
      const socket = new WebSocket(`${url.replace("http", "ws")}/requests`);
      socket.addEventListener("open", () => resolve("open"));
      socket.addEventListener("error", () => resolve("rejected"));
    });
    return [await read("/v2/pet/1"), await read("/requests"), await read("/data"), watched];
  }, sandbox.url);
  await page.close();
  other.close();
  expect(outcomes).toEqual([200, "rejected", "rejected", "rejected"]);
});
