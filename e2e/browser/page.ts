import { AxeBuilder } from "@axe-core/playwright";
import { expect, test as base, type Page } from "@playwright/test";

/** A sandbox of a test's own. */
interface Sandbox {
  readonly name: string;
  /** Its address, without a slash at the end. */
  readonly url: string;
}

/** A test that fails if the page reports an error, such as one of its policy. */
export const test = base.extend<{ sandbox: Sandbox }>({
  page: async ({ page }, use) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      // Chromium reports every answer of 400 and more, too.
      const isAnswer = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isAnswer) errors.push(message.text());
    });
    page.on("dialog", async (dialog) => dialog.accept());
    await use(page);
    expect(errors).toEqual([]);
  },
  sandbox: async ({ request, baseURL }, use) => {
    const made = await request.post("/sandboxes", { data: { data: "classic" } });
    const { name } = (await made.json()) as { readonly name: string };
    const url = `${baseURL}/sandboxes/${name}`;
    await use({ name, url });
    await request.delete(url);
  },
});

/** Looks at the page on a phone, a tablet and a desktop, light and dark: it is accessible, and does not scroll sideways. */
export async function looksRight(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const [width, height, colorScheme] of [
    [390, 844, "light"],
    [768, 1024, "dark"],
    [1440, 900, "light"],
    [1440, 900, "dark"],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // Swagger UI changes its colours slowly, from the next frame on.
    await page.evaluate(async () => {
      for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
      await Promise.allSettled(document.getAnimations().map(async ({ finished }) => finished));
    });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    expect(found, `${width} px, ${colorScheme}`).toEqual([]);
    const overflow = await page.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth);
    expect(overflow, `${width} px`).toBe(0);
  }
  if (before) await page.setViewportSize(before);
}
