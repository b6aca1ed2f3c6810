import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test as base, type Page } from "@playwright/test";

/** A test's own sandbox. */
interface Sandbox {
  readonly name: string;
  /** Its URL, without a slash at the end. */
  readonly url: string;
}

/** A test that fails if the page reports an error, such as one of its policy, or opens one of the browser's own dialogs. */
export const test = base.extend<{ sandbox: Sandbox }>({
  page: async ({ page }, use) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      // Chromium also reports every response of 400 or more, and every WebSocket that does not open.
      const isExpected = /^(?:Failed to load resource|WebSocket connection to)/.test(message.text());
      if (message.type() === "error" && !isExpected) errors.push(message.text());
    });
    page.on("dialog", async (dialog) => {
      errors.push(`a dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
    await use(page);
    expect(errors).toEqual([]);
  },
  sandbox: async ({ request, baseURL }, use) => {
    const created = await request.post("/sandboxes", { data: { data: "classic" } });
    const { name } = (await created.json()) as { readonly name: string };
    const url = `${baseURL}/sandboxes/${name}`;
    await use({ name, url });
    await request.delete(url);
  },
});

/** Returns what pressing a button puts into the clipboard. */
export async function copied(page: Page, press: () => Promise<void>): Promise<string> {
  await page.evaluate(async () => navigator.clipboard.writeText(""));
  await press();
  const read = async () => page.evaluate(async () => navigator.clipboard.readText());
  await expect.poll(read).not.toBe("");
  return read();
}

/** Runs copied commands unchanged, with `sh`. @returns the status and the body of the response */
export async function runCurl(command: string): Promise<{ status: number; body: string }> {
  const curl = `curl() { command curl -sS -w '%{http_code}' "$@"; }\n`;
  const { stdout } = await promisify(execFile)("sh", ["-euc", curl + command]);
  return { status: Number(stdout.slice(-3)), body: stdout.slice(0, -3) };
}

interface View {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: "light" | "dark";
}

/** Each layout and each color scheme once. */
const VIEWS: readonly View[] = [
  { width: 390, height: 844, colorScheme: "dark" },
  { width: 768, height: 1024, colorScheme: "light" },
  { width: 1440, height: 900, colorScheme: "light" },
];

/** Each width, light and dark. */
export const ALL_VIEWS: readonly View[] = [320, 390, 768, 1100, 1440].flatMap((width) => [
  { width, height: 900, colorScheme: "light" },
  { width, height: 900, colorScheme: "dark" },
]);

/** Returns the sizes of fonts, the most filled buttons on the page or in an open dialog, and the buttons without a name. */
function measure() {
  const visible = Array.from(document.querySelectorAll("body *")).filter((each) =>
    each.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }),
  );
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--on-link)";
  const filled = getComputedStyle(probe).color;
  probe.remove();
  const buttons = visible.filter((each) => each.matches("button, .button"));
  const places = buttons
    .filter((each) => getComputedStyle(each).color === filled)
    .map((each) => each.closest("dialog:modal, [id^=operations]"));
  return {
    sizes: Array.from(new Set(visible.map((each) => getComputedStyle(each).fontSize))),
    mostFilled: Math.max(0, ...places.map((place) => places.filter((each) => each === place).length)),
    unnamed: buttons.filter(
      (each) => !`${each.textContent}${each.ariaLabel ?? ""}${each.getAttribute("title") ?? ""}`.trim(),
    ).length,
  };
}

/** Checks in several views that the page is accessible, does not scroll sideways, and has the sizes and buttons of the design. */
export async function looksRight(page: Page, views: readonly View[] = VIEWS): Promise<void> {
  const before = page.viewportSize();
  for (const { width, height, colorScheme } of views) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // Swagger UI changes its colors slowly, from the next frame on.
    await page.evaluate(async () => {
      for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
      await Promise.allSettled(document.getAnimations().map(async ({ finished }) => finished));
    });
    // Legacy mode opens no extra page for frames: there are no frames.
    // Without preloading, which copies imported style sheets into the page, against its policy.
    const axe = new AxeBuilder({ page }).setLegacyMode().options({ preload: false });
    // Rows out of view, which are like the others.
    axe.exclude("#rows li:nth-child(n + 30)");
    // In the other color scheme, only colors differ.
    const isSeen = views.some((each) => each.width === width && each.colorScheme === "light");
    if (colorScheme === "dark" && isSeen) axe.withRules("color-contrast");
    const { violations } = await axe.analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    expect(found, `${width} px, ${colorScheme}`).toEqual([]);
    const overflow = await page.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth);
    expect(overflow, `${width} px`).toBe(0);
    const { sizes, mostFilled, unnamed } = await page.evaluate(measure);
    expect(["12px", "14px", "20px"], `${width} px`).toEqual(expect.arrayContaining(sizes));
    expect(mostFilled, `filled buttons at ${width} px`).toBeLessThanOrEqual(1);
    expect(unnamed, `buttons without a name at ${width} px`).toBe(0);
  }
  if (before) await page.setViewportSize(before);
}

/** Checks only the desktop: another layout would close a menu. */
export const looksRightOnDesktop = async (page: Page): Promise<void> => looksRight(page, VIEWS.slice(-1));
