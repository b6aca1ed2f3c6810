import { expect, type APIRequestContext, type Locator, type Page } from "@playwright/test";
import { ALL_VIEWS, looksRight, test } from "./page.ts";

const WIDTHS = [320, 390, 768, 1100, 1440];

/** Fills a sandbox with seven rules, two of which are used up if there are requests, and with requests of all kinds. */
async function fill(request: APIRequestContext, url: string, count: number): Promise<void> {
  await request.put(`${url}/faults`, {
    data: [
      { operationId: "getPetById", times: 1, status: 503 },
      { operationId: "addPet", times: 1, status: 503, after: true },
      { operationId: "getInventory", every: 3, status: 429, retryAfter: 1 },
      { path: "/user/{username}", delayMs: [50, 200] },
      { operationId: "deletePet", break: "connection" },
      { operationId: "placeOrder", slowMs: 5 },
      { match: { headers: { "x-test": "1" } }, status: 500, body: "<h1>Bad gateway</h1>", chance: 0.5 },
    ],
  });
  const calls: readonly [method: string, path: string, data?: object][] = [
    ["GET", "/v2/pet/1"],
    ["POST", "/v2/pet", { name: "Rex", photoUrls: [] }],
    ["POST", "/v2/pet", { name: "", status: "x" }],
    ["GET", `/v2/pet/findByTags?tags=${"x".repeat(1200)}`],
    ["GET", "/v2/nope/nope"],
    ["GET", "/api/v3/pet/findByStatus?status=available"],
  ];
  const send = async (index: number) => {
    const [method, path, data] = calls[index % calls.length] ?? ["GET", "/v2/pet/1"];
    await request.fetch(url + path, { method, ...(data ? { data } : {}) });
  };
  for (let sent = 0; sent < count; sent += 20) {
    await Promise.all(Array.from({ length: Math.min(20, count - sent) }, async (_, index) => send(sent + index)));
  }
}

for (const count of [0, 1, 20, 200]) {
  test(`looks right at every width, light and dark, with ${count} requests and 7 rules`, async ({
    page,
    request,
    sandbox,
  }) => {
    await fill(request, sandbox.url, count);
    await page.goto(`${sandbox.url}/`);
    await expect(page.locator("#rows a")).toHaveCount(count);
    await expect(page.getByRole("heading", { name: `Requests ${count}`, exact: false })).toBeVisible();
    await looksRight(page, ALL_VIEWS);
    for (const panel of count === 20 ? ["rules", "data"] : []) {
      await page.goto(`${sandbox.url}/#/${panel}`);
      await page.setViewportSize({ width: 320, height: 640 });
      await page.locator(`#${panel} summary`).first().click();
      await looksRight(page, [{ width: 320, height: 640, colorScheme: "dark" }]);
    }
  });
}

const topsOf = async (rows: Locator) =>
  rows.evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top * 10) / 10));

test("opening a request moves no row, and one that its URL names is in view", async ({ page, request, sandbox }) => {
  await fill(request, sandbox.url, 60);
  const rows = page.locator("#rows a");
  const list = page.locator("#rows");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto("about:blank");
    await page.goto(`${sandbox.url}/`);
    await expect(rows).toHaveCount(60);
    // The last row in view is cut, or ends with the list.
    const blank = await list.evaluate((element) => {
      const { bottom } = element.getBoundingClientRect();
      const panel = element.closest(".panel")?.getBoundingClientRect().bottom ?? 0;
      const row = document.elementFromPoint(element.getBoundingClientRect().left + 60, bottom - 2)?.closest(".row");
      return row ? panel - bottom : Number.POSITIVE_INFINITY;
    });
    expect(blank, `${width} px`).toBeLessThanOrEqual(2);
    await list.evaluate((element) => (element.scrollTop = 500));
    const before = await topsOf(rows);
    await rows.nth(14).click();
    await expect(page.locator("#details")).toBeVisible();
    const moved = (await topsOf(rows)).map((top, index) => Math.abs(top - (before[index] ?? 0)));
    expect(Math.max(...moved), `${width} px`).toBeLessThanOrEqual(1);
    const heights = rows.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect(new Set(await heights)).toEqual(new Set([48]));

    await page.goto("about:blank");
    await page.goto(`${sandbox.url}/#3`);
    await expect(page.locator("#details")).toBeVisible();
    const link = list.locator('[href="#3"]');
    const isInView = link.evaluate((element) => {
      const [row, box] = [element.getBoundingClientRect(), element.closest("ol")?.getBoundingClientRect()];
      return box !== undefined && row.top >= box.top - 1 && row.bottom <= box.bottom + 1;
    });
    expect(await isInView, `${width} px`).toBe(true);
  }
});

/** The most lines that one of the texts takes. */
const mostLines = async (texts: Locator) =>
  texts.evaluateAll((all) => {
    const lines = all.map((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size;
    });
    return Math.max(...lines);
  });

test("shows the base URL whole, and the path of a request without its long query", async ({
  page,
  request,
  sandbox,
}) => {
  await request.get(`${sandbox.url}/v2/pet/findByTags?tags=${encodeURIComponent("é ".repeat(200))}&x=a%2Fb`);
  await page.goto(`${sandbox.url}/#1`);
  const details = page.locator("#details");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const base = page.locator(".base code");
    await expect(base).toHaveText(`${sandbox.url}/v2`);
    expect(await base.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
    await expect(base).toHaveCSS("font-size", width >= 1280 ? "20px" : "14px");
    await expect(base).toHaveCSS("text-overflow", "clip");

    await expect(details.getByRole("heading").first()).toContainText("/v2/pet/findByTags");
    await expect(details.getByRole("heading").first()).not.toContainText("tags=");
    const { height = Infinity } = (await details.locator(".head").boundingBox()) ?? {};
    expect(height, `${width} px`).toBeLessThanOrEqual(120);
    await details.getByRole("radio", { name: "Response" }).check();
    const names = details.locator(".pairs td:first-child bdi");
    await expect(names.first()).toBeVisible();
    expect(await mostLines(names), `${width} px`).toBe(1);
    const [name, value] = await Promise.all(
      [":first-child", ":last-child"].map(async (cell) => details.locator(`.pairs td${cell}`).first().boundingBox()),
    );
    expect((name?.y ?? 0) < (value?.y ?? 0), `${width} px`).toBe(width < 400);
    await expect(details.getByText(/^\d+ more$/)).toBeVisible();
    await details.getByRole("radio", { name: "Request" }).check();
    await expect(details.getByRole("row", { name: /^x a\/b$/ })).toBeVisible();
    await expect(details.getByRole("row", { name: /^tags é é/ })).toBeVisible();
  }
});

test("breaks no word, and lines up the fields of a rule", async ({ page, request, sandbox }) => {
  await fill(request, sandbox.url, 20);
  // `npm start` may send it several times, because it gets no response.
  await request.delete(`${sandbox.url}/v2/pet/28`, { maxRetries: 0 }).catch(() => undefined);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${sandbox.url}/#/requests`);
    const failed = page.locator("#rows .status", { hasText: "none" });
    await expect(failed.first()).toBeVisible();
    expect(await mostLines(failed), `${width} px`).toBe(1);
    await page.goto(`${sandbox.url}/#/data`);
    const pets = page.locator("#data details").first();
    if ((await pets.getAttribute("open")) === null) await pets.locator("summary").click();
    await expect(pets.getByRole("cell", { name: "available" }).first()).toBeVisible();
    for (const part of ["td:nth-child(1) bdi", "td:nth-child(3) bdi", "button"]) {
      expect(await mostLines(pets.locator(part)), `${part} at ${width} px`).toBe(1);
    }
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${sandbox.url}/#/rules`);
  await page.getByText("Add a rule").click();
  await page.getByRole("button", { name: "Custom rule…" }).click();
  await expect(page.getByRole("button", { name: "Cancel" })).toBeVisible();
  const places = await placesOf(page);
  expect(new Set(places.map(({ x }) => x)).size).toBe(2);
  // Two fields beside each other begin at the same height.
  const ys = places.filter(({ x }) => x === places[1]?.x).map(({ y }) => y);
  const lefts = places.filter(({ x }) => x === places[0]?.x).map(({ y }) => y);
  expect(lefts).toEqual(expect.arrayContaining(ys));
});

/** The places of the fields of the form, without checkboxes. */
const placesOf = async (page: Page) =>
  page
    .locator("#form .field")
    .filter({ visible: true })
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON() as { x: number; y: number }));
