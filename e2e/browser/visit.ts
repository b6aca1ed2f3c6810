import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { check, equal } from "../check.ts";

export const DESKTOP = { width: 1440, height: 900 };
/** The desktop at 200 %. */
export const ZOOMED = { width: 720, height: 450 };
export const PHONE = { width: 390, height: 844 };

/** Long, because machines may be busy. */
const TIMEOUT_MS = 300_000;
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** A valid image of one pixel. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
/** Pets whose pictures would log a visitor in or out if a page loaded them. @param path of the store */
export const traps = (path = "") =>
  [
    "../../../user/logout",
    "%2e%2e/%2E%2E/../user/logout",
    String.raw`..\..\..\user\logout`,
    "../../../../../../v2/user/login?username=mallory&password=secret",
    `../../../user/logout#${crypto.randomUUID()}.png`,
    `${crypto.randomUUID()}.png/../../../../user/logout`,
  ].map((end, id) => ({
    id: 1001 + id,
    name: "Trap",
    photoUrls: [`${path}/v2/pet/1/images/${end}`],
    status: "available",
  }));

/** The paths of our drawings and of uploaded images. */
const IMAGE =
  /^\/docs\/(?:icon|pets)\.svg$|^(\/v2|\/stores\/[\w-]+)\/pet\/\d+\/images\/[\da-f-]{36}\.(png|jpg|gif|webp)$/;

/** A new page, with page.js. */
export async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  await context.addInitScript({ path: "e2e/browser/page.js" });
  return context.newPage();
}

/** A page that records what it must not do. */
export class Visit {
  readonly page: Page;
  readonly origin: string;
  readonly faults: string[] = [];

  constructor(page: Page, origin: string) {
    this.page = page;
    this.origin = origin;
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on("pageerror", ({ message }) => this.faults.push(`error: ${message}`));
    page.on("console", (entry) => {
      // The browser logs each answer of 400 and more, which the checks expect.
      const isStatus = entry.text().startsWith("Failed to load resource: the server responded");
      if (entry.type() === "error" && !isStatus) this.faults.push(`console: ${entry.text()}`);
    });
    page.context().on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol === "data:" || url.protocol === "blob:") return;
      const isRight = request.resourceType() !== "image" || IMAGE.test(url.pathname + url.search);
      if (url.origin === origin && isRight) return;
      this.faults.push(`request to ${request.url()}`);
    });
    page.on("websocket", (socket) => {
      if (new URL(socket.url()).host !== new URL(origin).host) {
        this.faults.push(`connection to ${socket.url()}`);
      }
    });
  }

  async close(): Promise<void> {
    await check("there were no errors and no requests to other hosts", async () => {
      await this.page.context().close();
      equal("faults", this.faults, []);
    });
  }

  /** What axe-core finds. Needs a context with `bypassCSP`, because the page's policy forbids its script. */
  async violations(): Promise<string[]> {
    const isThere = await this.page.evaluate<boolean>("'axe' in globalThis");
    if (!isThere) await this.page.addScriptTag({ path: AXE });
    await this.ask("settled");
    const { violations } = await this.page.evaluate<AxeResults>(
      "axe.run({ rules: { 'target-size': { enabled: true } } })",
    );
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target }) => `${id}: ${String(target)}`),
    );
  }

  /** Calls a function of page.js. */
  ask<T>(question: string, ...values: unknown[]): Promise<T> {
    const list = values.map((value) => JSON.stringify(value)).join(", ");
    return this.page.evaluate<T>(`checks.${question}(${list})`);
  }

  /** The number of requests in the record of a store. */
  async requests(store: string): Promise<number> {
    const answer = await fetch(`${this.origin}/stores/${store}/requests`);
    const requests: unknown[] = await answer.json();
    return requests.length;
  }

  /** How many pixels the page is wider than the screen. */
  async overflow(): Promise<number> {
    return (await this.ask<number>("width")) - (this.page.viewportSize()?.width ?? 0);
  }

  /** Presses Tab until the focused element matches. */
  async tabTo(selector: string): Promise<void> {
    for (let presses = 0; presses < 200; presses++) {
      await this.page.keyboard.press("Tab");
      if (await this.ask<boolean>("hasFocus", selector)) return;
    }
    throw new Error(`${selector} cannot be reached by keyboard`);
  }
}
