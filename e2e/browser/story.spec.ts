import { expect, type Locator, type Page } from "@playwright/test";
import { copied, runCurl, test } from "./page.ts";

/** A way to use the page. */
interface Hand {
  readonly press: (control: Locator) => Promise<void>;
  /** Chooses the other one of two radio buttons. */
  readonly choose: (option: Locator) => Promise<void>;
  readonly write: (field: Locator, text: string) => Promise<void>;
}

const pointer: Hand = {
  press: async (control) => control.click(),
  choose: async (option) => option.check(),
  write: async (field, text) => field.fill(text),
};

/** Uses only the keyboard. */
function keyboardOf(page: Page): Hand {
  const reach = async (control: Locator) => {
    await control.waitFor();
    for (let steps = 0; !(await control.evaluate((each) => each === document.activeElement)); steps++) {
      expect(steps, `steps to ${control.toString()}`).toBeLessThan(100);
      await page.keyboard.press("Tab");
    }
  };
  return {
    press: async (control) => {
      await reach(control);
      await page.keyboard.press("Enter");
    },
    choose: async (option) => {
      await reach(page.getByRole("radio", { checked: true }));
      await page.keyboard.press("ArrowRight");
      await expect(option).toBeChecked();
    },
    write: async (field, text) => {
      await reach(field);
      await page.keyboard.press("ControlOrMeta+A");
      await page.keyboard.insertText(text);
    },
  };
}

for (const [words, width, height, handOf] of [
  ["on a desktop", 1440, 900, () => pointer],
  ["on a tablet", 768, 1024, () => pointer],
  ["on a phone", 390, 844, () => pointer],
  ["with the keyboard alone", 1440, 900, keyboardOf],
] as const) {
  test(`tells the whole story ${words}`, async ({ page, request }) => {
    await page.setViewportSize({ width, height });
    const isNarrow = width < 1280;
    const { press, choose, write } = handOf(page);
    const button = (name: string, within: Pick<Page, "getByRole"> = page) =>
      within.getByRole("button", { name, exact: true }).filter({ visible: true });
    const dialog = page.getByRole("dialog").filter({ visible: true }).last();
    const rows = page.locator("#rows a");
    const open = async (panel: string) => {
      const tab = page.getByRole("navigation", { name: "Parts" }).getByRole("link", { name: panel });
      if (isNarrow) await press(tab);
    };

    await page.goto("/sandboxes/");
    await press(button("Create"));
    await expect(page.getByText("Waiting for your first request")).toBeVisible();
    const url = page.url();
    const base = await copied(page, async () => press(button("Copy the base URL")));
    expect(base).toBe(`${url}v2`);
    await choose(page.getByRole("radio", { name: "Petstore 3" }));
    expect(await copied(page, async () => press(button("Copy the base URL")))).toBe(`${url}api/v3`);

    await open("Data");
    await press(button("Edit or paste JSON"));
    const json = page.getByRole("textbox", { name: "Data as JSON" });
    await write(json, '{"pets": [{"id": 7, "name": ""');
    await press(button("Replace all data"));
    await expect(dialog.getByRole("alert")).toContainText("JSON");
    await write(json, '{"pets": [{"id": 7, "name": "", "photoUrls": []}]}');
    await press(button("Replace all data"));
    await expect(dialog.getByRole("alert")).toContainText("must not be empty");
    await press(button("pets.0.name", dialog));
    const selected = json.evaluate((field: HTMLTextAreaElement) =>
      field.value.slice(field.selectionStart, field.selectionEnd),
    );
    expect(await selected).toContain('"name": ""');
    await write(json, '{"pets": [{"id": 7, "name": "Rex", "photoUrls": []}]}');
    await press(button("Replace all data"));
    await expect(page.getByText("1 pet · 0 orders · 0 users")).toBeVisible();

    await open("Requests");
    expect((await request.get(`${base}/pet/7`)).status()).toBe(200);
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText("getPetById");

    await open("Rules");
    const rules = page.locator("#rules");
    await press(rules.getByRole("button", { name: "Fail once" }));
    await expect(rules.locator(".rule")).toContainText("The next request gets a 503");
    expect((await request.get(`${base}/pet/7`)).status()).toBe(503);
    await expect(rules).toContainText("1 used up");

    await open("Requests");
    await expect(rows).toHaveCount(2);
    await expect(rows.first()).toContainText("rule");
    await press(rows.first());
    const command = await copied(page, async () => press(button("Copy as curl")));
    expect(await runCurl(command)).toEqual({ status: 200, body: '{"id":7,"name":"Rex","photoUrls":[]}' });
    await press(button("Send again"));
    await expect(page.getByRole("status")).toContainText("Sent again: 200.");
    await press(button("Respond to the next one with…"));
    await press(page.locator("#next").getByRole("button", { name: "Rate limit" }));
    await expect(page.getByRole("status")).toHaveText("The rule is active and comes first.");
    expect((await runCurl(command)).status).toBe(429);
    await page.keyboard.press("Escape");
    await expect(page.locator("#details")).toBeHidden();
    await expect(page.getByRole("heading", { name: "Requests 5" })).toBeVisible();

    await open("Rules");
    await press(page.getByText("2 used up"));
    await expect(rules.locator(".rule").first()).toContainText("Used up: 1 of 1");
    await press(button("Again rule 2"));
    await expect(rules.locator(".rule").first()).toContainText("Applied: 0 of 1");
    expect((await runCurl(command)).status).toBe(503);

    await press(button("Reset"));
    await expect(dialog).toContainText("the data that you saved last");
    await press(button("Reset", dialog));
    await expect(page.getByRole("status")).toHaveText("The sandbox is reset.");
    await expect(rules.locator(".rule")).toHaveCount(0);
    await open("Requests");
    await expect(page.getByText("Waiting for your first request")).toBeVisible();
    await open("Data");
    await expect(page.getByText("1 pet · 0 orders · 0 users")).toBeVisible();

    await press(button("More"));
    await press(button("Delete the sandbox"));
    await press(button("Delete", dialog));
    await expect(page).toHaveURL(/\/sandboxes\/$/);
    expect((await request.get(url, { headers: { Accept: "application/json" } })).status()).toBe(404);
  });
}
