// `bash .ci/run browser`: tests the pages in Chromium, with a server of its own.
//
//   npx node e2e/browser/run.ts --screenshot    takes docs/screenshot.png instead
//
// Needs Chromium: Debian's /usr/bin/chromium, or the one that CHROMIUM names.
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Locator } from "playwright-core";
import { withServer } from "../server.ts";
import { check, equal } from "../check.ts";
import { checkFiles } from "./files.ts";
import { checkForeignPage } from "./foreign.ts";
import { StorePage, checkKey, checkStorePages } from "./stores.ts";
import { checkStory } from "./story.ts";
import { DESKTOP, PHONE, PNG, Visit, newPage, traps } from "./visit.ts";
import { checkWrongAnswers } from "./wrong.ts";

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, unknown>;
  readonly requestBody?: { readonly content: Record<string, unknown> };
}

const { paths } = JSON.parse(readFileSync("docs/api/openapi.json", "utf8")) as {
  paths: Record<string, Record<string, Operation>>;
};
/** Ordered by method, so that nothing is deleted before its last use. */
const operations = ["post", "put", "get", "delete"].flatMap((method) =>
  Object.values(paths).flatMap((path) => path[method] ?? []),
);

const API_KEY = "the-key-of-this-test";

/** The most pixels that an open operation may be high, with its error responses folded. */
const TALLEST = 2500;

/** The documentation page. */
class DocsPage extends Visit {
  static async open(
    browser: Browser,
    origin: string,
    options: BrowserContextOptions,
  ): Promise<DocsPage> {
    const docs = new DocsPage(await newPage(browser, options), origin);
    await docs.page.goto(`${origin}/`);
    await docs.page.locator(".opblock").first().waitFor();
    await docs.chartShows((await docs.inventory()).join(", "));
    return docs;
  }

  /** The counts of the inventory, not from the page. */
  async inventory(): Promise<string[]> {
    const counts = (await (await fetch(`${this.origin}/v2/store/inventory`)).json()) as object;
    return Object.entries(counts).map(([status, count]) => `${status}: ${String(count)}`);
  }

  /** Waits until the chart has this accessible name. */
  async chartShows(name: string): Promise<void> {
    await this.page.getByRole("img", { name }).waitFor();
  }

  /** The top of the first operation, or `screens` if it is above that. In pixels. */
  async topOfOperations(screens: number): Promise<number> {
    await this.ask("rest");
    const { y = Infinity } = (await this.page.locator(".opblock").first().boundingBox()) ?? {};
    return Math.max(y, screens);
  }

  operation(id: string): Locator {
    return this.page.locator(`.opblock[id$="-${id}"]`);
  }

  /** Opens an operation, unless it is open. */
  async expand(id: string): Promise<Locator> {
    const operation = this.operation(id);
    const execute = operation.locator(".btn.execute");
    if (!(await execute.isVisible())) {
      await operation.locator(".opblock-summary-control").click();
      await execute.waitFor();
    }
    return operation;
  }

  /** Closes an operation, because many open ones make the page slow. */
  async collapse(id: string): Promise<void> {
    const operation = this.operation(id);
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".opblock-body").waitFor({ state: "detached" });
  }

  /** Sends an operation with the present form. @returns status and body as the page shows them */
  async execute(id: string): Promise<{ status: string; body: string }> {
    const operation = await this.expand(id);
    const clear = operation.locator(".btn-clear");
    if (await clear.isVisible()) await clear.click();
    await operation.locator(".btn.execute").click();
    const answer = operation.locator(".live-responses-table tbody .response");
    await answer.waitFor();
    const status = await answer.locator(".response-col_status").innerText();
    const body = answer.locator(".response-col_description .highlight-code code").first();
    return { status: status.trim().split(/\s/)[0] ?? "", body: await body.innerText() };
  }

  /** Fills in a parameter of an operation. */
  async fill(id: string, name: string, value: string): Promise<void> {
    const operation = await this.expand(id);
    await operation.locator(`tr[data-param-name="${name}"] input`).fill(value);
  }
}

async function checkLoading(docs: DocsPage, origin: string): Promise<void> {
  await check("/ redirects to /docs/", async () => {
    equal("the address", docs.page.url(), `${origin}/docs/`);
    const { status, headers } = await fetch(`${origin}/`, { redirect: "manual" });
    equal("the answer", [status, headers.get("Location")], [302, "/docs/"]);
  });
  await check("the page loads without errors and without requests to other hosts", async () => {
    await docs.page.waitForLoadState("networkidle");
    equal("faults", docs.faults, []);
  });
  await check("its policy permits no eval and no other host", async () => {
    const { headers } = await fetch(`${origin}/docs/`);
    const policy = headers.get("Content-Security-Policy") ?? "";
    const sources = policy
      .split(";")
      .flatMap((directive) => directive.trim().split(/\s+/).slice(1));
    const allowed = new Set(["'none'", "'self'", "data:", "blob:"]);
    const others = sources.filter((source) => !allowed.has(source));
    equal("other sources", others, []);
    equal("the default", policy.startsWith("default-src 'none';"), true);
  });
  await check("the introduction and the schemas are folded", async () => {
    const introduction = docs.page.locator(".info .description");
    equal("introduction", await introduction.isVisible(), false);
    await docs.page.getByText("Introduction").click();
    const longest = await docs.ask<number>("longestLine", ".info p, .info li");
    if (longest > 75) throw new Error(`a line has ${longest} characters`);
    await docs.page.getByText("Introduction").click();
    equal("schemas", await docs.page.locator(".models.is-open").count(), 0);
  });
  await check("the first operation is in the first screen", async () => {
    const screen = DESKTOP.height;
    equal("top", await docs.topOfOperations(screen), screen);
  });
  await check("operations can be filtered by their text", async () => {
    const filter = docs.page.getByLabel("Filter the operations");
    await filter.fill("get image");
    await docs.page.locator(".opblock").nth(1).waitFor({ state: "detached" });
    equal("found", await docs.operation("getPetImage").count(), 1);
    await filter.fill("");
    await docs.page
      .locator(".opblock")
      .nth(operations.length - 1)
      .waitFor();
  });
  await check(`it shows all ${operations.length} operations`, async () => {
    equal("operations", await docs.page.locator(".opblock").count(), operations.length);
    for (const { operationId } of operations) {
      equal(operationId, await docs.operation(operationId).count(), 1);
    }
  });
}

async function checkTrying(docs: DocsPage, origin: string): Promise<void> {
  await check("a pet added through “Try it out” shows up in the chart", async () => {
    const bar = docs.page.locator("#inventory rect.available");
    equal("bar", Number(await bar.getAttribute("width")), 0);
    equal("status", (await docs.execute("addPet")).status, "200");
    await docs.chartShows("available: 1, pending: 0, sold: 0");
    equal("bar", Number(await bar.getAttribute("width")), 100);
  });
  await check("the pet is beside the chart, with its picture after an upload", async () => {
    const pet = docs.page.locator("#pets li", { hasText: "Rex" });
    await pet.waitFor();
    equal("pictures", await pet.locator("img").count(), 0);
    const image = { name: "rex.png", mimeType: "image/png", buffer: PNG };
    await (await docs.expand("uploadFile")).locator('input[type="file"]').setInputFiles(image);
    equal("upload", (await docs.execute("uploadFile")).status, "200");
    await pet.locator("img").waitFor();
    equal("picture", await docs.ask("isShown", "#pets img"), true);
  });
  await check("the answer of getPetImage is shown as an image", async () => {
    const source = await docs.page.locator("#pets img").getAttribute("src");
    const [, petId = "", name = ""] = /^\/v2\/pet\/(\d+)\/images\/(.+)$/.exec(source ?? "") ?? [];
    await docs.fill("getPetImage", "petId", petId);
    await docs.fill("getPetImage", "name", name);
    const operation = await docs.expand("getPetImage");
    await operation.locator(".btn.execute").click();
    await operation.locator(".live-responses-table img").waitFor();
    equal("image", await docs.ask("isShown", ".live-responses-table img"), true);
    await docs.collapse("getPetImage");
  });
  await check("optional parameters are empty", async () => {
    const upload = await docs.expand("uploadFile");
    equal("metadata", await upload.locator('input[type="text"]').last().inputValue(), "");
    await docs.collapse("uploadFile");
    await docs.expand("getPetImage");
    equal("range", await docs.page.locator('tr[data-param-name="Range"]').count(), 0);
    await docs.collapse("getPetImage");
  });
  await check("error responses are folded until a button shows them", async () => {
    const operation = await docs.expand("placeOrder");
    const refusal = operation.locator('tr.response[data-code="400"]');
    equal("folded", await refusal.isVisible(), false);
    const { height = Infinity } = (await operation.boundingBox()) ?? {};
    if (height > TALLEST) throw new Error(`it is ${height} px tall`);
    await operation.getByRole("button", { name: /^Show \d+ error answers$/ }).click();
    equal("shown", await refusal.isVisible(), true);
    await operation.getByRole("button", { name: /^Hide \d+ error answers$/ }).click();
    equal("folded again", await refusal.isVisible(), false);
  });
  await check("the 404 of an unknown pet is readable", async () => {
    await docs.fill("getPetById", "petId", "404404");
    const { status, body } = await docs.execute("getPetById");
    equal("status", status, "404");
    equal("message", /"message": "Pet not found"/.test(body), true);
  });
  await check("the cookie lasts until the logout, whatever pictures pets have", async () => {
    const ofSession = { httpOnly: true, sameSite: "Strict", path: "/v2" };
    const session = async () => {
      const cookies = await docs.page.context().cookies(`${origin}/v2/`);
      return cookies.find(({ name }) => name === "session");
    };
    equal("new user", (await docs.execute("createUser")).status, "200");
    equal("log-in", (await docs.execute("loginUser")).status, "200");
    const cookie = await session();
    const { httpOnly, sameSite, path } = cookie ?? {};
    equal("the cookie", { httpOnly, sameSite, path }, ofSession);
    await docs.page.reload();
    equal("the cookie later", (await session())?.value, cookie?.value);
    for (const pet of traps()) {
      const headers = { "Content-Type": "application/json" };
      const sent = { method: "POST", headers, body: JSON.stringify(pet) };
      equal("trap", (await fetch(`${origin}/v2/pet`, sent)).status, 200);
    }
    await docs.page.reload();
    await docs.page
      .locator("#pets li", { hasText: "Trap" })
      .nth(traps().length - 1)
      .waitFor();
    await docs.page.waitForLoadState("networkidle");
    equal("faults", docs.faults, []);
    equal("the cookie after hostile pictures", (await session())?.value, cookie?.value);
    for (const { id } of traps()) await fetch(`${origin}/v2/pet/${id}`, { method: "DELETE" });
    equal("log-out", (await docs.execute("logoutUser")).status, "200");
    equal("the cookie after it", await session(), undefined);
  });
}

/** Tries every operation on a small screen: each works, and nothing is wider than the screen. */
async function checkPhone(docs: DocsPage, origin: string): Promise<void> {
  await check("the page fits into 390 px, and its first operation into one screen", async () => {
    equal("overflow", await docs.overflow(), 0);
    equal("top", await docs.topOfOperations(PHONE.height), PHONE.height);
  });
  await check("the list of operations is folded until it is opened", async () => {
    const link = docs.page.getByRole("link", { name: "GET getOrderById" });
    equal("folded", await link.isVisible(), false);
    await docs.page.locator(".side summary").click();
    equal("overflow", await docs.overflow(), 0);
    await link.click();
    await link.waitFor({ state: "hidden" });
    await docs.collapse("getOrderById");
  });
  for (const operation of operations) {
    const { operationId: id, requestBody, responses } = operation;
    await check(`“Try it out” works at 390 px for ${id}`, async () => {
      // The page offers the first media type of a body.
      if (Object.keys(requestBody?.content ?? {})[0] === "multipart/form-data") {
        const image = { name: "rex.png", mimeType: "image/png", buffer: PNG };
        await (await docs.expand(id)).locator('input[type="file"]').setInputFiles(image);
      }
      // Several examples create Ada.
      if (id === "createUser") await fetch(`${origin}/v2/user/ada`, { method: "DELETE" });
      const { status, body } = await docs.execute(id);
      // Nobody has uploaded the image of the example.
      const expected = id === "getPetImage" ? "404" : "200";
      if (status !== expected) throw new Error(`answered ${status} ${body}`);
      equal("documented", status in responses, true);
      equal("overflow", await docs.overflow(), 0);
      await docs.collapse(id);
    });
  }
  await check("the schemas fit into 390 px", async () => {
    await docs.page.locator(".models .models-control").click();
    await docs.page.locator(".models .json-schema-2020-12-accordion").first().click();
    equal("overflow", await docs.overflow(), 0);
  });
}

/** Between them, these operations have every kind of control. */
const SHOWN = ["addPet", "uploadFile", "findPetsByStatus", "deletePet"];

/** Checks the page with axe-core: as it loads, and with operations open and tried. */
async function checkAccessibility(docs: DocsPage, where: string): Promise<void> {
  await check(`axe-core finds nothing on the page (${where})`, async () => {
    equal("violations", await docs.violations(), []);
  });
  for (const id of SHOWN) {
    await check(`axe-core finds nothing with ${id} open (${where})`, async () => {
      const operation = await docs.expand(id);
      equal("open", await docs.violations(), []);
      await operation.locator(".fold-errors").click();
      if (id !== "uploadFile") await docs.execute(id);
      equal("tried, with its errors", await docs.violations(), []);
      await docs.collapse(id);
    });
  }
}

async function checkList(docs: DocsPage): Promise<void> {
  const list = docs.page.getByRole("navigation", { name: "Operations" });
  const current = list.locator("[aria-current]");
  await check(
    "a list at the side has all operations, stays and marks the current one",
    async () => {
      equal("operations", await list.getByRole("link").count(), operations.length);
      await docs.tabTo('.side a[href="#/user/deleteUser"]');
      await docs.page.keyboard.press("Enter");
      await docs.operation("deleteUser").locator(".btn.execute").waitFor();
      equal("focus", await docs.ask("hasFocus", '[id$="-deleteUser"] *'), true);
      equal("the address", new URL(docs.page.url()).hash, "#/user/deleteUser");
      await docs.page.getByText("DELETE deleteUser").and(current).waitFor();
      await docs.ask("rest");
      await current.waitFor({ state: "detached" });
      await docs.operation("getPetById").locator(".opblock-summary-control").focus();
      await docs.page.getByText("GET getPetById").and(current).waitFor();
      await docs.page.getByLabel("Filter the operations").fill("get image");
      await list.getByRole("link").nth(1).waitFor({ state: "detached" });
      await docs.page.getByLabel("Filter the operations").fill("");
      await docs.collapse("deleteUser");
    },
  );
  await check("a description does not repeat the summary", async () => {
    await docs.expand("addPet");
    equal("addPet", await docs.operation("addPet").getByText("Add a pet to the store").count(), 1);
    await docs.collapse("addPet");
    const described = await docs.expand("updatePet");
    await described.getByText("Replaces the whole pet.").waitFor();
    await docs.collapse("updatePet");
  });
  await check("paper has neither the list nor buttons, and is white in dark mode", async () => {
    await docs.page.emulateMedia({ media: "print", colorScheme: "dark" });
    equal("list", await list.isVisible(), false);
    equal("button", await docs.page.getByText("Make a sandbox").isVisible(), false);
    equal("ground", await docs.ask<string>("background"), "rgb(255, 255, 255)");
    await docs.page.locator("html:not(.dark-mode)").waitFor();
    await docs.page.emulateMedia({ media: null, colorScheme: null });
  });
}

/** Checks the page of a path that has none. */
async function checkMissing(browser: Browser, origin: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    const options = { colorScheme, viewport: PHONE };
    const visit = new Visit(await newPage(browser, options), origin);
    const audited = new Visit(await newPage(browser, { ...options, bypassCSP: true }), origin);
    await check(`a 404 says what is wrong and leads on (${colorScheme})`, async () => {
      for (const [path, reason] of [
        ["/stores/short/", "must have 16 to 64 characters"],
        [`/stores/${crypto.randomUUID()}/nowhere`, "no page at this address"],
        ["/nowhere", "no page at this address"],
      ] as const) {
        equal("status", (await visit.page.goto(origin + path))?.status(), 404);
        await visit.page.getByText(reason).waitFor();
        equal("overflow", await visit.overflow(), 0);
        await audited.page.goto(origin + path);
        equal("violations", await audited.violations(), []);
      }
      equal("links", await visit.page.locator('main a[href="/stores/"]').count(), 1);
      await visit.page.getByRole("link", { name: "Documentation" }).click();
      await visit.page.waitForURL(`${origin}/docs/`);
    });
    await audited.close();
    await visit.close();
  }
}

async function checkPetstore3(docs: DocsPage): Promise<void> {
  await check("the operations of Petstore 3 can be chosen and tried", async () => {
    await docs.page.getByLabel("Interface").selectOption("Petstore 3: /api/v3");
    await docs.operation("createUsersWithArrayInput").waitFor({ state: "detached" });
    equal("operations", await docs.page.locator(".opblock").count(), 19);
    equal("list", await docs.page.locator(".side li").count(), 19);
    equal("status", (await docs.execute("addPet")).status, "200");
    const url = await docs.operation("addPet").locator(".request-url pre").innerText();
    equal("the URL", url, `${docs.origin}/api/v3/pet`);
  });
}

async function checkChoice(docs: DocsPage): Promise<void> {
  await check("a button makes a sandbox, whose page has the operations", async () => {
    await docs.page.getByRole("button", { name: "Make a sandbox" }).click();
    await docs.page.waitForURL(/\/stores\/[\w-]{36}\/#\/$/);
    await docs.page.locator(".opblock").first().waitFor();
    equal("status", (await docs.execute("addPet")).status, "200");
    const url = await docs.operation("addPet").locator(".request-url pre").innerText();
    equal("the URL", url, docs.page.url().replace(/#.*/, "v2/pet"));
  });
}

async function checkColors(docs: DocsPage): Promise<void> {
  const backgrounds: string[] = [];
  for (const colorScheme of ["dark", "light", "dark"] as const) {
    await docs.page.emulateMedia({ colorScheme });
    const followed = colorScheme === "dark" ? "html.dark-mode" : "html:not(.dark-mode)";
    await docs.page.locator(followed).waitFor();
    backgrounds.push(await docs.ask<string>("background"));
  }
  await check("dark mode follows the system", async () => {
    equal("same background when dark again", backgrounds[0] === backgrounds[2], true);
    equal("same background when light", backgrounds[0] === backgrounds[1], false);
  });
}

async function checkKeyboard(docs: DocsPage): Promise<void> {
  await check("an operation can be tried by keyboard alone", async () => {
    await docs.tabTo('[id$="-addPet"] .opblock-summary-control');
    await docs.page.keyboard.press("Enter");
    // Swagger UI can only send once the example is in the form.
    await docs.operation("addPet").locator("textarea", { hasText: "Rex" }).waitFor();
    await docs.tabTo('[id$="-addPet"] .btn.execute');
    await docs.page.keyboard.press("Enter");
    await docs.operation("addPet").locator(".live-responses-table").waitFor();
  });
}

async function runChecks(browser: Browser, origin: string): Promise<void> {
  const open = (options: BrowserContextOptions = {}) => DocsPage.open(browser, origin, options);
  const desktop = await open();
  await checkLoading(desktop, origin);
  await checkTrying(desktop, origin);
  await checkList(desktop);
  await checkPetstore3(desktop);
  await checkChoice(desktop);
  await desktop.close();
  const phone = await open({ viewport: PHONE, isMobile: true, hasTouch: true });
  await checkPhone(phone, origin);
  await phone.close();
  for (const colorScheme of ["light", "dark"] as const) {
    for (const viewport of [DESKTOP, PHONE]) {
      const audited = await open({ colorScheme, viewport, bypassCSP: true });
      await checkAccessibility(audited, `${colorScheme}, ${viewport.width} px`);
      await audited.close();
    }
  }
  const dark = await open({ colorScheme: "dark" });
  await checkColors(dark);
  await dark.close();
  const keyboard = await open();
  await checkKeyboard(keyboard);
  await keyboard.close();
  await checkMissing(browser, origin);
  await checkStorePages(browser, origin);
  await checkForeignPage(browser, origin);
  await checkFiles(browser, origin);
  await checkWrongAnswers(browser, origin);
  // This is last because it builds in the folders that the server uses.
  await checkStory(browser);
}

/** Shows the page of a sandbox after some requests, with a retried one open. */
async function takeScreenshot(browser: Browser, origin: string): Promise<void> {
  const store = "0d6cfa1e-6d43-4a53-9f59-0f0c5e2a1b77";
  const visit = await StorePage.open(browser, origin, store, { colorScheme: "light" });
  await visit.send("PUT", "/data", { data: "classic" });
  await visit.send("PUT", "/requests", { record: "full" });
  await visit.send("POST", "/v2/pet", { name: "", status: "lost" });
  await visit.send("PUT", "/faults", [
    { operationId: "addPet", status: 503, times: 1, after: true },
    { method: "GET", path: "/pet/{petId}", every: 2, delayMs: 80 },
  ]);
  const rex = {
    name: "Rex",
    category: { id: 1, name: "Dogs" },
    photoUrls: [],
    status: "available",
  };
  await visit.send("GET", "/v2/pet/findByStatus?status=pending");
  await visit.send("GET", "/v2/pet/7");
  await visit.send("DELETE", "/v2/store/order/99");
  await visit.send("GET", "/v2/user/login?username=user1&password=XXXXXXXXXXX");
  await visit.send("PUT", "/v2/user/user1", { firstName: "Ada" });
  for (let attempt = 0; attempt < 2; attempt++) await visit.send("POST", "/v2/pet", rex, "rex-1");
  await visit.send("GET", "/v2/pet/11");
  await visit.send("GET", "/v2/pet/404");
  await visit.send("POST", "/v2/store/order", { petId: 11, quantity: 1, status: "placed" });
  await visit.send("GET", "/v2/store/inventory");
  await visit.logHas(12);
  await visit.holds(11, 4, 10);
  await visit.openRequest("attempt 2 of 2");
  await visit.rest();
  await visit.page.screenshot({ path: "docs/screenshot.png", animations: "disabled" });
  await visit.close();
  console.log("docs/screenshot.png");
}

const { values: options } = parseArgs({ options: { screenshot: { type: "boolean" } } });
const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) {
  console.error(
    `test:browser needs Chromium, and ${executablePath} is not there: install Debian's package chromium, or set CHROMIUM to its path`,
  );
  process.exit(1);
}
const browser = await chromium.launch({ executablePath });
try {
  if (options.screenshot) {
    await withServer((origin) => takeScreenshot(browser, origin));
  } else {
    await withServer((origin) => runChecks(browser, origin));
    const args = ["--empty", "--var", "STORE_CREATION:key", "--var", `API_KEY:${API_KEY}`];
    await withServer((origin) => checkKey(browser, origin, API_KEY), { args });
  }
} catch (error) {
  console.error(`not ok  ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
