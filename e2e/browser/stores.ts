// The page of a store of one's own: a client uses the store while the page watches it.
import { execFileSync } from "node:child_process";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { check, equal } from "./check.ts";
import { DESKTOP, PHONE, PNG, Visit, newPage, traps } from "./visit.ts";

/** Most requests that the page shows. */
const MOST = 200;

/** How each of the page's examples is run as it is copied. */
const COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  curl: ["bash", "-e"],
  JavaScript: [process.execPath, "--input-type=module"],
  Python: ["python3", "-"],
};

/** The page of one store, and a client of that store. */
class StorePage extends Visit {
  static async open(
    browser: Browser,
    origin: string,
    store?: string,
    options: BrowserContextOptions = {},
  ): Promise<StorePage> {
    const visit = new StorePage(await newPage(browser, options), origin);
    await visit.page.goto(`${origin}/stores/${store === undefined ? "" : `${store}/`}`);
    await visit.page.locator("#state").waitFor();
    return visit;
  }

  /** The path of the store. */
  get path(): string {
    return new URL(this.page.url()).pathname.replace(/\/$/, "");
  }

  /** Sends a request to the store, as a client would; `path` is below that of the store. */
  async send(method: string, path: string, json?: unknown): Promise<Response> {
    return fetch(`${this.origin}${this.path}${path}`, {
      method,
      ...(json !== undefined && {
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(json),
      }),
    });
  }

  async click(name: string): Promise<void> {
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  /** Waits for a text in the element with this id. */
  async says(id: string, text: string | RegExp): Promise<void> {
    await this.page.locator(`#${id}`, { hasText: text }).waitFor();
  }

  /** The log as the page shows it, newest first: method, path and status of each request. */
  async log(): Promise<string[]> {
    const rows = await this.page.locator("#requests tr").all();
    return Promise.all(
      rows.map(async (row) => {
        const [, method, path, status] = await row.locator("td").allInnerTexts();
        return `${method} ${path?.split("\n")[0]} ${status}`;
      }),
    );
  }

  /** Waits until the log has so many rows. */
  async logHas(count: number): Promise<void> {
    await this.page.locator(`#requests:has(> tr:nth-child(${count}):last-child)`).waitFor();
  }
}

async function checkUse(visit: StorePage): Promise<void> {
  await check("/stores/ makes a store with pets, orders and users in it", async () => {
    equal("the log", await visit.page.locator("#columns").isVisible(), false);
    await visit.click("Make a new store");
    await visit.page.waitForURL(/\/stores\/[\w-]{36}\/$/);
    await visit.says("state", "It has 10 pets, 10 orders, 10 users");
    equal("pets", await visit.page.locator("#pets li").count(), 10);
    equal("base", await visit.page.locator("#base").innerText(), `${visit.origin}${visit.path}/v2`);
  });
  await check("its own reads are not in the log", async () => {
    equal("log", await visit.log(), []);
    equal("table", await visit.page.locator(".log").isVisible(), false);
  });
  let pets = 10;
  for (const [language, [command, ...args]] of Object.entries(COMMANDS)) {
    await check(
      `the example in ${language} runs as it is copied, and shows up at once`,
      async () => {
        await visit.click(`Copy the example in ${language}`);
        await visit.click(`Copied: the example in ${language}`);
        const input = await visit.page.evaluate<string>("navigator.clipboard.readText()");
        const output = execFileSync(command, args, { input, encoding: "utf8", stdio: "pipe" });
        equal("output", output.includes("Rex"), true);
        pets += 1;
        await visit.page
          .locator("#requests tr", { hasText: "POST" })
          .nth(pets - 11)
          .waitFor();
        await visit.says("state", `It has ${pets} pets`);
        await visit.page.locator(`#pets li:nth-child(${pets})`, { hasText: "Rex" }).waitFor();
      },
    );
  }
  await check("requests are newest first", async () => {
    await visit.logHas(4);
    equal("log", await visit.log(), [
      "POST /v2/pet 200",
      "POST /v2/pet 200",
      "GET /v2/pet/findByStatus 200",
      "POST /v2/pet 200",
    ]);
  });
}

async function checkLog(visit: StorePage): Promise<void> {
  await check("a refusal shows the fields at fault", async () => {
    await visit.send("POST", "/v2/pet", { name: "", status: "lost" });
    const errors = visit.page.locator("#requests tr", { hasText: "405" }).locator("li");
    await errors.first().waitFor();
    equal("errors", await errors.allInnerTexts(), [
      "name must not be empty",
      "photoUrls is required",
      "status must be one of available, pending, sold",
    ]);
  });
  await check("an answer that a rule for faults made says so", async () => {
    await visit.send("PUT", "/faults", [{ path: "/store/inventory", status: 503, times: 1 }]);
    equal("status", (await visit.send("GET", "/v2/store/inventory")).status, 503);
    const row = visit.page.locator("#requests tr", { hasText: "503" });
    await row.getByText("A rule for faults made this answer.").waitFor();
  });
  await check("no password, token or body is on the page", async () => {
    await visit.send("GET", "/v2/user/login?username=user1&password=XXXXXXXXXXX");
    await visit.logHas(7);
    const log = await visit.page.locator("#requests").innerHTML();
    equal("login", (await visit.log())[0], "GET /v2/user/login 200");
    equal("secrets", /XXXX|session|\?/.test(log), false);
    equal("passwords", (await visit.page.content()).includes("XXXX"), false);
  });
  await check("a picture is shown, and looking at it is not a request of the log", async () => {
    const form = new FormData();
    form.set("file", new Blob([PNG], { type: "image/png" }), "cat.png");
    await fetch(`${visit.origin}${visit.path}/v2/pet/1/uploadImage`, {
      method: "POST",
      body: form,
    });
    await visit.page.locator("#pets img").waitFor();
    equal("picture", await visit.ask("isShown", "#pets img"), true);
    await visit.logHas(8);
    equal("newest", (await visit.log())[0], "POST /v2/pet/1/uploadImage 200");
  });
  await check("markup in a name is text", async () => {
    await visit.send("PUT", "/v2/user/user1", { firstName: "<img src=x onerror=alert(1)>" });
    await visit.page.locator("#users li", { hasText: "<img src=x" }).waitFor();
  });
  await check(`the last ${MOST} are shown`, async () => {
    for (let sent = 1; sent <= MOST; sent++) await visit.send("GET", `/v2/pet/${1000 + sent}`);
    await visit.page.locator("#requests tr", { hasText: `/v2/pet/${1000 + MOST}` }).waitFor();
    await visit.logHas(MOST);
    equal("oldest", (await visit.log()).at(-1), "GET /v2/pet/1001 404");
  });
  await check("the log is there again after the page is loaded again", async () => {
    await visit.page.reload();
    await visit.logHas(MOST);
    equal("newest", (await visit.log())[0], `GET /v2/pet/${1000 + MOST} 404`);
  });
}

async function checkButtons(visit: StorePage): Promise<void> {
  await check("buttons empty the store and fill it", async () => {
    await visit.click("Empty");
    await visit.says("done", "The store is empty.");
    await visit.says("state", "It has 0 pets, 0 orders, 0 users");
    equal("pets", await visit.page.locator("#pets li").allInnerTexts(), ["none"]);
    await visit.click("Fill with the classic data");
    await visit.says("state", "It has 10 pets, 10 orders, 10 users");
    equal("pets", await visit.page.locator("#pets li").count(), 10);
  });
  await check("what is done outside the interface shows up too, but no picture of it", async () => {
    await visit.send("PUT", "/data", {
      pets: traps(visit.path),
      orders: [{ petId: 1, quantity: 0 }],
      users: [{ username: "ada" }, { firstName: "Grace" }],
    });
    await visit.says("state", "It has 6 pets, 1 order, 2 users,");
    await visit.page.waitForLoadState("networkidle");
    equal("faults", visit.faults, []);
    const rows = async (id: string) => visit.page.locator(`#${id} li`).allInnerTexts();
    equal("orders", await rows("orders"), ["Order 1 pet 1, quantity 0"]);
    equal("users", await rows("users"), ["ada", "User 2 Grace"]);
  });
  await check("a button deletes it, and what was in it goes from the page", async () => {
    await visit.click("Delete");
    await visit.says("state", "It does not exist.");
    equal("status", (await visit.send("GET", "")).status, 404);
    equal("requests", await visit.log(), []);
    equal("users", await visit.page.locator("#users li").allInnerTexts(), ["none"]);
  });
  await check("the page connects again once a request has made the store again", async () => {
    await visit.send("POST", "/v2/user", { username: "grace" });
    await visit.says("state", "1 user,");
    await visit.logHas(1);
    await visit.send("GET", "/v2/user/grace");
    await visit.logHas(2);
    equal("log", await visit.log(), ["GET /v2/user/grace 200", "POST /v2/user 200"]);
  });
}

async function checkMissing(visit: StorePage): Promise<void> {
  await check("a store that does not exist has a page, which makes none", async () => {
    await visit.says("state", "It does not exist. The first request makes it.");
    equal("status", (await visit.send("GET", "")).status, 404);
    equal("delete", await visit.page.locator("#delete").isVisible(), false);
  });
  await check("until its button is pressed", async () => {
    await visit.click("Make this store");
    await visit.says("state", "It has 0 pets, 0 orders, 0 users");
    equal("make", await visit.page.locator("#make").isVisible(), false);
  });
}

/** Fills the log with every kind of row. */
async function fillLog(visit: StorePage): Promise<void> {
  await visit.send("PUT", "/data", { data: "classic" });
  await visit.send("PUT", "/faults", [{ method: "DELETE", status: 503 }]);
  await visit.send("POST", "/v2/pet", { name: "", status: "lost" });
  await visit.send(
    "DELETE",
    "/v2/user/a-user-with-a-name-that-is-long-enough-to-be-a-problem-anywhere",
  );
  await visit.send("GET", "/v2/pet/1");
  await visit.logHas(3);
  await visit.says("state", "It has 10 pets");
}

async function checkLooks(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions,
  where: string,
): Promise<void> {
  const store = crypto.randomUUID();
  const visit = await StorePage.open(browser, origin, store, { ...options, bypassCSP: true });
  await visit.says("state", "It does not exist.");
  await check(`axe-core finds nothing while there is no store (${where})`, async () => {
    equal("violations", await visit.violations(), []);
  });
  await fillLog(visit);
  await check(`axe-core finds nothing on the page of a store (${where})`, async () => {
    equal("violations", await visit.violations(), []);
  });
  await check(`nothing is wider than the screen (${where})`, async () => {
    equal("overflow", await visit.overflow(), 0);
    equal(
      "log",
      await visit.page.evaluate(
        `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".log"))`,
      ),
      0,
    );
  });
  await visit.page.goto(`${origin}/stores/`);
  await check(`axe-core finds nothing where no store is named (${where})`, async () => {
    equal("violations", await visit.violations(), []);
    equal("overflow", await visit.overflow(), 0);
  });
  await visit.close();
}

async function checkKeyboard(visit: StorePage): Promise<void> {
  await check("a store can be made, filled and deleted by keyboard alone", async () => {
    await visit.says("state", "It does not exist.");
    await visit.tabTo("#make");
    await visit.page.keyboard.press("Enter");
    await visit.says("state", "It has 0 pets");
    await visit.tabTo("#fill");
    await visit.page.keyboard.press("Space");
    await visit.says("state", "It has 10 pets");
    await visit.send("GET", "/v2/pet/1");
    await visit.logHas(1);
    await visit.tabTo(".log");
    await visit.tabTo("pre");
    await visit.tabTo("#delete");
    await visit.page.keyboard.press("Enter");
    await visit.says("state", "It does not exist.");
    equal("the focus is kept", await visit.ask("hasFocus", "#fill"), true);
  });
}

/** Checks the pages below /stores/. */
export async function checkStorePages(browser: Browser, origin: string): Promise<void> {
  const permissions = ["clipboard-read", "clipboard-write"];
  const desktop = await StorePage.open(browser, origin, undefined, { permissions });
  await checkUse(desktop);
  await checkLog(desktop);
  await checkButtons(desktop);
  await desktop.close();
  const missing = await StorePage.open(browser, origin, crypto.randomUUID());
  await checkMissing(missing);
  await missing.close();
  for (const colorScheme of ["light", "dark"] as const) {
    for (const viewport of [DESKTOP, PHONE]) {
      await checkLooks(
        browser,
        origin,
        { colorScheme, viewport },
        `${colorScheme}, ${viewport.width} px`,
      );
    }
  }
  const keyboard = await StorePage.open(browser, origin, crypto.randomUUID());
  await checkKeyboard(keyboard);
  await keyboard.close();
}
