// The page of a sandbox, while a client uses the sandbox.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Browser, BrowserContextOptions, Locator } from "playwright-core";
import { check, equal } from "../check.ts";
import { DESKTOP, PHONE, PNG, Visit, ZOOMED, newPage, traps } from "./visit.ts";

/** The most requests that the page shows. */
const MOST = 200;

/** Runs the examples as they are copied from the page. */
const COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  curl: ["bash", "-e"],
  JavaScript: [process.execPath, "--input-type=module"],
  Python: ["python3", "-"],
};

/** An image that a browser cannot decode. */
const DAMAGED = Buffer.concat([PNG.subarray(0, 41), Buffer.from("damaged data")]);

/** The page of a sandbox, and a client. */
export class StorePage extends Visit {
  static async open(
    browser: Browser,
    origin: string,
    store?: string,
    options: BrowserContextOptions = {},
  ): Promise<StorePage> {
    const visit = new StorePage(await newPage(browser, options), origin);
    await visit.page.goto(`${origin}/stores/${store === undefined ? "" : `${store}/`}`);
    return visit;
  }

  /** The path of the sandbox. */
  get path(): string {
    return new URL(this.page.url()).pathname.replace(/\/$/, "");
  }

  /** Sends a request as a client. @param path below the sandbox */
  async send(method: string, path: string, json?: unknown, key?: string): Promise<Response> {
    const headers = {
      ...(json !== undefined && { "Content-Type": "application/json" }),
      ...(key !== undefined && { "Idempotency-Key": key }),
    };
    const body = json === undefined ? null : JSON.stringify(json);
    return fetch(`${this.origin}${this.path}${path}`, { method, headers, body });
  }

  async upload(id: number, bytes: Buffer): Promise<void> {
    const body = new FormData();
    body.set("file", new Blob([bytes], { type: "image/png" }), "cat.png");
    const sent = { method: "POST", body };
    const { status } = await fetch(`${this.origin}${this.path}/v2/pet/${id}/uploadImage`, sent);
    equal("upload", status, 200);
  }

  async click(name: string): Promise<void> {
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  /** Shows a part of the page, which is a tab on a phone. */
  async show(part: "Requests" | "Rules" | "Data"): Promise<void> {
    const tab = this.page.getByRole("tab", { name: part });
    if (await tab.isVisible()) await tab.click();
  }

  /** Answers the dialog. */
  async answer(name: string): Promise<void> {
    await this.page.locator("dialog").getByRole("button", { name, exact: true }).click();
  }

  /** Waits for a text in the element with this id. */
  async says(id: string, text: string | RegExp): Promise<void> {
    await this.page.locator(`#${id}`, { hasText: text }).waitFor();
  }

  /** Waits until the page shows these counts. */
  async holds(pets: number, orders: number, users: number): Promise<void> {
    const counts = new RegExp(String.raw`\b${pets} pets\s*${orders} orders\s*${users} users`);
    await this.says("state", counts);
  }

  /** Method, path and status of each request on the page, newest first. */
  async log(): Promise<string[]> {
    return this.page
      .locator("#requests .row")
      .evaluateAll((rows) =>
        rows.map((row) =>
          [".method", ".path", ".status"]
            .map((part) => row.querySelector(part)?.textContent)
            .join(" "),
        ),
      );
  }

  /** Waits until the list has this many requests. */
  async logHas(count: number): Promise<void> {
    if (count === 0)
      await this.page
        .locator("#requests:empty, #requests:not(:has(li))")
        .waitFor({ state: "attached" });
    else await this.page.locator(`#requests:has(> li:nth-child(${count}):last-child)`).waitFor();
  }

  /** Opens the first request with this text. */
  async openRequest(text: string): Promise<Locator> {
    const row = this.page.locator("#requests .row", { hasText: text });
    await row.locator("a").first().click();
    await row.locator("[aria-current]").first().waitFor({ state: "attached" });
    return this.page.locator("#entry");
  }

  /** Moves the pointer away, so that the list is updated. */
  async rest(): Promise<void> {
    await this.page.mouse.move(0, 0);
    await this.ask("rest");
  }
}

/** Checks the pages of a service where only the holder of this key makes sandboxes. */
export async function checkKey(browser: Browser, origin: string, key: string): Promise<void> {
  const visit = await StorePage.open(browser, origin);
  await check(
    "where the key makes a sandbox, /stores/ asks for it and does not keep it",
    async () => {
      await visit.click("Make a sandbox");
      const field = visit.page.getByLabel("API key");
      await field.fill("a wrong key");
      equal("focus", await visit.ask("hasFocus", "[name=key]"), true);
      await visit.click("Make a sandbox");
      await visit.page.locator(".fault", { hasText: "401" }).waitFor();
      await field.fill(key);
      const asked: string[] = [];
      visit.page.on("request", (request) => asked.push(request.url()));
      await field.press("Enter");
      await visit.page.waitForURL(/\/stores\/[\w-]{36}\/$/);
      await visit.holds(10, 3, 10);
      const withKey = asked.filter((url) => decodeURIComponent(url).includes(key));
      equal("in a URL", withKey, []);
      const kept = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }])";
      const names = JSON.stringify([visit.path.slice("/stores/".length)]);
      equal("kept", JSON.parse(await visit.page.evaluate(kept)), [{ sandboxes: names }, {}]);
    },
  );
  await check("a sandbox that does not exist says how to make it", async () => {
    await visit.page.goto(`${origin}/stores/${crypto.randomUUID()}/`);
    await visit.click("nothing");
    await visit.page.locator(".data .fault", { hasText: "POST /stores creates one" }).waitFor();
  });
  await check("/docs/ leads to the page that asks for the key", async () => {
    await visit.page.goto(`${origin}/docs/`);
    await visit.click("Make a sandbox");
    await visit.page.waitForURL(`${origin}/stores/`);
  });
  await visit.close();
}

async function checkMade(visit: StorePage): Promise<void> {
  await check(
    "/stores/ lists the sandboxes that this browser made, until they are forgotten",
    async () => {
      await visit.page.getByRole("link", { name: "New sandbox" }).click();
      await visit.click("Make a sandbox");
      await visit.holds(10, 3, 10);
      const { path } = visit;
      await visit.page.getByRole("link", { name: "New sandbox" }).click();
      const made = visit.page.locator("#made li");
      await made.filter({ hasText: /until \d+ \w+, \d+:\d+/ }).waitFor();
      await visit.send("DELETE", path.slice(7));
      await visit.page.reload();
      await made.filter({ hasText: "deleted" }).waitFor();
      equal("link", await made.locator("a").getAttribute("href"), `${path}/`);
      await visit.click(`Forget ${path.slice(8)}`);
      await made.waitFor({ state: "detached" });
      await visit.page.reload();
      await visit.page.getByText("Make a sandbox").waitFor();
      equal("made", await made.count(), 0);
    },
  );
}

async function checkUse(visit: StorePage): Promise<void> {
  await check("/stores/ makes a sandbox with pets, orders and users", async () => {
    await visit.click("Make a sandbox");
    await visit.page.waitForURL(/\/stores\/[\w-]{36}\/$/);
    await visit.holds(10, 3, 10);
    equal("pets", await visit.page.locator("#pets li").count(), 10);
    equal("base", await visit.page.locator("#base").innerText(), `${visit.origin}${visit.path}/v2`);
  });
  await check("the page's own requests are not in the list", async () => {
    equal("log", await visit.log(), []);
  });
  await checkLoading(visit);
  const use = visit.page.locator(".use");
  let pets = 10;
  for (const [language, [command, ...args]] of Object.entries(COMMANDS)) {
    await check(
      `the example in ${language} runs as it is copied, and its requests are shown`,
      async () => {
        await use.getByRole("tab", { name: language }).click();
        await visit.click(`Copy the example in ${language}`);
        await visit.says("done", `The example in ${language} is copied.`);
        const input = await visit.page.evaluate<string>("navigator.clipboard.readText()");
        const output = execFileSync(command, args, { input, encoding: "utf8", stdio: "pipe" });
        equal("output", output.includes("Rex"), true);
        pets += 1;
        await visit.page
          .locator("#requests li", { hasText: "POST" })
          .nth(pets - 11)
          .waitFor();
        await visit.holds(pets, 3, 10);
      },
    );
    if (pets > 11) continue;
    await check("the examples are folded once there are requests", async () => {
      await use.getByRole("tab").first().waitFor({ state: "hidden" });
      await use.getByText("Use it").click();
    });
  }
  await check("the newest request is first, and a button shows the other pets", async () => {
    await visit.logHas(4);
    equal("log", await visit.log(), [
      "POST /v2/pet 200",
      "POST /v2/pet 200",
      "GET /v2/pet/findByStatus 200",
      "POST /v2/pet 200",
    ]);
    equal("pets", await visit.page.locator("#pets li").count(), 12);
    await visit.click("and 1 more");
    await visit.page.locator("#pets li").nth(12).waitFor();
    await visit.click("Fewer");
    await visit.page.locator("#pets li").nth(12).waitFor({ state: "detached" });
    equal("focus", await visit.ask("hasFocus", '[aria-controls="pets"]'), true);
  });
}

async function checkEntry(visit: StorePage): Promise<void> {
  await check("without a full record, an open request offers to turn it on", async () => {
    await visit.openRequest("findPetsByStatus");
    await visit.click("Record the next requests in full");
    await visit.says("done", "The next requests are recorded in full.");
  });
  await check(
    "a refused request shows the fields at fault, in the list and when it is open",
    async () => {
      await visit.rest();
      const body = '{"name":"","status":"lost","note":12345678901234567890}';
      await fetch(`${visit.origin}${visit.path}/v2/pet`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
      });
      const entry = await visit.openRequest("405");
      const row = visit.page.locator("#requests .row", { hasText: "405" });
      equal("fields", await row.locator(".refused.mark").allInnerTexts(), [
        "name",
        "photoUrls",
        "status",
      ]);
      equal("errors", await entry.locator(".refused li").allInnerTexts(), [
        "name must not be empty",
        "photoUrls is required",
        "status must be one of available, pending, sold",
      ]);
      const bodies = await entry.locator("pre").allInnerTexts();
      const sent = '{\n  "name": "",\n  "status": "lost",\n  "note": 12345678901234567890\n}';
      equal("sent", bodies[0], sent);
      equal("answered", (JSON.parse(bodies[1] ?? "") as { code: number }).code, 405);
    },
  );
  await check("the curl command of a request repeats it", async () => {
    await visit.click("Copy as curl");
    await visit.says("done", "The request is copied.");
    const input = await visit.page.evaluate<string>("navigator.clipboard.readText()");
    const output = execFileSync("sh", ["-e"], { input, encoding: "utf8", stdio: "pipe" });
    equal("output", /^HTTP\S+ 405 [^]*"code":405/.test(output), true);
    await visit.logHas(6);
  });
  await check("one click answers the next such request with 503", async () => {
    await visit.click("Answer this with 503 next time");
    await visit.page.locator("#rules li", { hasText: "used 0 of 1" }).waitFor();
    const pet = { name: "Rex", photoUrls: [] };
    equal("first", (await visit.send("POST", "/v2/pet", pet, "a key of ours")).status, 503);
    await visit.send("GET", "/v2/store/inventory");
    equal("again", (await visit.send("POST", "/v2/pet", pet, "a key of ours")).status, 200);
    await visit.page.locator("#rules li", { hasText: "used 1 of 1" }).waitFor();
  });
  await check("retries with the same key are grouped", async () => {
    await visit.rest();
    await visit.logHas(9);
    equal("log", (await visit.log()).slice(0, 3), [
      "POST /v2/pet 200",
      "POST /v2/pet 503",
      "GET /v2/store/inventory 200",
    ]);
    const marks = visit.page.locator("#requests .attempt .mark");
    equal("marks", await marks.allInnerTexts(), [
      "attempt 2 of 2",
      "attempt 1 of 2",
      "rule 1: replaced",
    ]);
    const entry = await visit.openRequest("attempt 2 of 2");
    await entry.getByRole("link", { name: "503" }).click();
    await entry.getByText("Rule 1: The answer to the next addPet request is 503.").waitFor();
  });
}

/** The box of the list, and the height of its rows. */
const shapeOf = async (visit: StorePage) => {
  const list = await visit.page.locator("#requests").boundingBox();
  const rows = visit.page.locator("#requests .row");
  const heights = await rows.evaluateAll((all) => all.map((row) => row.clientHeight));
  return { list, tallest: Math.max(...heights) };
};

async function checkNewest(visit: StorePage): Promise<void> {
  const title = visit.page.locator("#entry-title");
  await check("the newest request is open beside the list, unless it is in use", async () => {
    await visit.page.getByRole("link", { name: "Close" }).click();
    await visit.rest();
    await visit.send("GET", "/v2/pet/3");
    await title.filter({ hasText: "/v2/pet/3" }).waitFor();
    await visit.page.getByRole("button", { name: "Copy as curl" }).hover();
    await visit.send("GET", "/v2/pet/4");
    await visit.page.locator("#requests .row", { hasText: "/v2/pet/4" }).waitFor();
    equal("in use", await title.innerText(), "200 GET /v2/pet/3");
    await visit.rest();
    await visit.send("GET", "/v2/pet/5");
    await title.filter({ hasText: "/v2/pet/5" }).waitFor();
  });
  await check("each request has one line, and opening one does not move the list", async () => {
    const before = await shapeOf(visit);
    equal("one line", before.tallest < 32, true);
    await visit.openRequest("/v2/pet/3");
    equal("the list", await shapeOf(visit), before);
  });
  await check("in a narrow list each has two lines, also with the mark of a rule", async () => {
    await visit.page.getByRole("link", { name: "rule 1: replaced" }).waitFor();
    await visit.page.setViewportSize(ZOOMED);
    const { tallest } = await shapeOf(visit);
    equal("two lines", tallest > 32 && tallest < 52, true);
    await visit.page.setViewportSize(DESKTOP);
  });
  await check("Escape closes the open request", async () => {
    await visit.page.keyboard.press("Escape");
    await title.filter({ hasText: "/v2/pet/5" }).waitFor();
    equal("address", new URL(visit.page.url()).hash, "#list");
    await visit.rest();
  });
  await check("the mark of a rule leads to the rule", async () => {
    await visit.page.getByRole("link", { name: "rule 1: replaced" }).click();
    await visit.page.locator("#rule-1:target").waitFor();
    equal("focus", await visit.ask("hasFocus", "#rule-1"), true);
    await visit.page.goBack();
    await visit.rest();
  });
}

async function checkLoading(visit: StorePage): Promise<void> {
  await check("until the record is read, the page says that it loads", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await visit.page.route(visit.origin + visit.path, async (route) => {
      await promise;
      await route.fallback();
    });
    await visit.page.reload();
    await visit.page.getByText("The requests are loading.").waitFor();
    equal("empty", await visit.page.getByText("No requests yet").count(), 0);
    resolve();
    await visit.page.getByText("No requests yet").waitFor();
    await visit.page.unrouteAll();
  });
}

async function checkLog(visit: StorePage): Promise<void> {
  await check("the list does not move under the pointer", async () => {
    const [first = ""] = await visit.log();
    await visit.page.locator("#requests .row").first().hover();
    await visit.send("GET", "/v2/pet/1");
    await visit.page.getByRole("button", { name: "1 new" }).waitFor();
    equal("first", (await visit.log())[0], first);
    await visit.rest();
    await visit.logHas(13);
    equal("first", (await visit.log())[0], "GET /v2/pet/1 200");
  });
  await check("the list pauses", async () => {
    await visit.click("Pause");
    await visit.send("GET", "/v2/pet/2");
    await visit.page.getByRole("button", { name: "1 new" }).waitFor();
    await visit.click("Resume");
    await visit.logHas(14);
  });
  await check("the list can be filtered, and downloads follow the filter", async () => {
    const filters = visit.page.locator("#list-panel");
    await filters.getByLabel("Status").selectOption("5xx");
    await visit.logHas(1);
    await filters.getByLabel("Status").selectOption("");
    await filters.getByLabel("Operation").selectOption("getPetById");
    await visit.logHas(5);
    for (const name of ["HAR", "curl", "Test"]) {
      const download = visit.page.waitForEvent("download");
      await visit.page.getByRole("link", { name, exact: true }).click();
      const path = await (await download).path();
      const text = readFileSync(path, "utf8");
      equal(name, [text.includes("/pet/2"), text.includes("inventory")], [true, false]);
    }
    await filters.getByLabel("Operation").selectOption("");
  });
  await check("queries are decoded, as paths are", async () => {
    await visit.send("GET", "/v2/pet/findByTags?tags=caf%C3%A9%20noir&status=%ff");
    await visit.rest();
    await visit.logHas(15);
    equal(
      "newest",
      (await visit.log())[0],
      "GET /v2/pet/findByTags?tags=café noir&status=\ufffd 400",
    );
  });
  await check("passwords and tokens are masked", async () => {
    await visit.send("POST", "/v2/user", { username: "eve", password: "correct horse" });
    await visit.send("GET", "/v2/user/login?username=eve&password=correct%20horse");
    await visit.rest();
    await visit.logHas(17);
    await visit.openRequest("loginUser");
    await visit.page.locator("#entry", { hasText: "***" }).waitFor();
    equal("secrets", /correct|session=(?!\*)/.test(await visit.page.content()), false);
  });
  await check(
    "a picture is shown, or an initial if it is damaged, and neither is recorded",
    async () => {
      await visit.upload(1, PNG);
      await visit.upload(2, DAMAGED);
      await visit.page.locator("#pets li:nth-child(1) img").waitFor();
      equal("picture", await visit.ask("isShown", "#pets img"), true);
      await visit.page.locator("#pets li:nth-child(2) .picture", { hasText: "C" }).waitFor();
      equal(
        "drawing",
        await visit.page.locator("#pets li:nth-child(3) use").getAttribute("href"),
        "/docs/pets.svg#cat",
      );
      await visit.rest();
      await visit.logHas(19);
      equal("newest", (await visit.log())[0], "POST /v2/pet/2/uploadImage 200");
    },
  );
  await check("a file that is not an image leaves the drawing", async () => {
    await visit.upload(3, Buffer.from("hello"));
    await visit.rest();
    await visit.logHas(20);
    equal("drawings", await visit.page.locator("#pets li:nth-child(3) use").count(), 1);
  });
  await check("markup in a name is shown as text", async () => {
    await visit.send("PUT", "/v2/user/user1", { firstName: "<img src=x onerror=alert(1)>" });
    await visit.page.locator("#users li", { hasText: "<img src=x" }).waitFor();
  });
  await check("clearing the list asks for confirmation", async () => {
    await visit.click("Clear");
    await visit.answer("Cancel");
    await visit.logHas(21);
    await visit.click("Clear");
    await visit.answer("Clear");
    await visit.logHas(0);
    equal("log", await (await visit.send("GET", "/requests")).json(), []);
  });
  await check(`the last ${MOST} requests are shown, also after a reload`, async () => {
    for (let sent = 0; sent <= MOST; sent++) await visit.send("GET", `/v2/pet/${1000 + sent}`);
    await visit.rest();
    await visit.page.locator("#requests li", { hasText: `/v2/pet/${1000 + MOST}` }).waitFor();
    await visit.logHas(MOST);
    equal("oldest", (await visit.log()).at(-1), "GET /v2/pet/1001 404");
    await visit.page.reload();
    await visit.logHas(MOST);
    equal("newest", (await visit.log())[0], `GET /v2/pet/${1000 + MOST} 404`);
    await visit.page.getByText("The last 200 requests; older ones are dropped.").waitFor();
  });
}

async function checkRules(visit: StorePage): Promise<void> {
  const rules = visit.page.locator("#rules li");
  await check("a form adds a rule, and a button removes one", async () => {
    await visit.page.getByText("Add a rule").click();
    const form = visit.page.locator(".rules form");
    await form.locator("[name=operationId]").selectOption("getInventory");
    await form.locator("[name=status]").fill("429");
    await form.locator("[name=times]").fill("2");
    const sentence = "The answer to each of the next 2 getInventory requests is 429.";
    await visit.says("sentence", sentence);
    await visit.click("Add the rule");
    await rules.filter({ hasText: `${sentence} used 0 of 2` }).waitFor();
    equal("the form", await form.locator("[name=status]").inputValue(), "");
    equal("status", (await visit.send("GET", "/v2/store/inventory")).status, 429);
    await visit.page.getByText("used 1 of 2").waitFor();
    await visit.click("Remove rule 2");
    await visit.page.getByText("used 1 of 1").waitFor({ state: "detached" });
    await visit.page.getByText("used 1 of 2").waitFor();
    await visit.click("Remove rule 1");
    await visit.page.getByText("No rules. Requests get normal answers.").waitFor();
  });
  await check("removing a rule that is gone removes no other one", async () => {
    const sent = [{ path: "/pet/1", status: 503 }];
    await visit.send("PUT", "/faults", [...sent, { path: "/pet/2", status: 503 }]);
    const button = visit.page.getByRole("button", { name: "Remove rule 2" });
    // The list does not move under the pointer.
    await button.hover();
    await visit.send("PUT", "/faults", sent);
    await button.click();
    const fault = visit.page.locator(".rules .fault");
    await fault.filter({ hasText: "the rules have changed, and this one is gone" }).waitFor();
    equal("notice", await visit.page.locator("#done").innerText(), "");
    const left = (await (await visit.send("GET", "/faults")).json()) as { path: string }[];
    equal(
      "rules",
      left.map(({ path }) => path),
      ["/pet/1"],
    );
    await button.waitFor({ state: "detached" });
    await visit.send("DELETE", "/faults");
    await visit.page.getByText("No rules. Requests get normal answers.").waitFor();
  });
  await check("an answer that a rule cuts off is shown as failed", async () => {
    await visit.send("PUT", "/faults", [{ operationId: "getInventory", break: "body" }]);
    const sentence =
      "The answer to every getInventory request breaks off in the middle of its body.";
    const { body } = await visit.send("GET", "/v2/store/inventory");
    equal("body", await new Response(body).text().catch(() => "cut off"), "cut off");
    await visit.rest();
    const entry = await visit.openRequest("cut off");
    await entry.getByText("The connection ended after the body that you see.").waitFor();
    await entry.getByText(`Rule 1: ${sentence}`).waitFor();
    equal("look", await entry.locator("h2 .status").getAttribute("class"), "status failed");
    const [text = ""] = await entry.locator("pre").allInnerTexts();
    equal("half", /^\{"available":[^}]*$/.test(text), true);
    await visit.send("DELETE", "/faults");
    await entry.getByText(`A rule that is gone: ${sentence}`).waitFor();
    await entry.getByRole("link", { name: "Close" }).click();
  });
  await check("an empty or invalid rule is refused, in the place of the error", async () => {
    const form = visit.page.locator(".rules form");
    await visit.click("Add the rule");
    await form.locator("#sentence.fault", { hasText: "Nothing happens yet." }).waitFor();
    await form.locator("[name=status]").fill("700");
    await form
      .locator("#sentence:not(.fault)", { hasText: "The answer to every request is 700." })
      .waitFor();
    await form.getByText("More").click();
    await form.locator("[name=patch]").fill("{");
    await form.getByText("More").click();
    await visit.click("Add the rule");
    await form.locator("#patch-refusal", { hasText: "JSON" }).waitFor();
    equal("focus", await visit.ask("hasFocus", "[name=patch]"), true);
    await form.locator("[name=patch]").fill("");
    await visit.click("Add the rule");
    await form.locator("#status-refusal", { hasText: "must be an integer from" }).waitFor();
    equal("focus", await visit.ask("hasFocus", "[name=status]"), true);
    equal("rules", await (await visit.send("GET", "/faults")).json(), []);
  });
  await check("the form has every member, and an answer says what was done to it", async () => {
    const form = visit.page.locator(".rules form");
    const enter = async (values: Readonly<Record<string, string>>) => {
      for (const [name, value] of Object.entries(values)) {
        const control = form.locator(`[name=${name}]`);
        const isChoice = ["operationId", "method", "break"].includes(name);
        await (isChoice ? control.selectOption(value) : control.fill(value));
      }
    };
    await enter({ status: "201", operationId: "addPet", times: "1", retryAfter: "1", body: "{}" });
    await form.locator("[name=after]").check();
    const first =
      "The answer to the next addPet request is 201 after the request is done, has the body {} and asks to retry after 1 s.";
    await visit.says("sentence", first);
    await visit.click("Add the rule");
    await rules.filter({ hasText: first }).waitFor();
    const changed = { operationId: "getPetById", method: "GET", path: "/pet/{petId}" };
    await enter({ ...changed, every: "2", chance: "100", seed: "7", delayMs: "1", most: "2" });
    await enter({ bytesPerSecond: "1000", break: "json", patch: '{"name":7,"tags":null}' });
    await enter({ headers: "set-cookie: a=1\n\netag: x\n-Vary" });
    await visit.click("Add the rule");
    await form.locator("#headers-refusal", { hasText: "set-cookie " }).waitFor();
    await enter({ headers: "etag: x\n-Vary" });
    await visit.click("Add the rule");
    const second =
      'Drawn with seed 7, the answer to every 2nd getPetById GET /pet/{petId} request has the header etag: x, has no header Vary, has {"name":7,"tags":null} merged into its body, comes 1 to 2 ms late, leaves at 1000 bytes per second and ends after half of its body.';
    await rules.filter({ hasText: second }).waitFor();
    const chosen = { every: 2, chance: 1, seed: 7, used: 0, met: 0 };
    const changes = { headers: { etag: "x", Vary: null }, patch: { name: 7, tags: null } };
    const delivery = { delayMs: [1, 2], bytesPerSecond: 1000, break: "json" };
    const replaced = { status: 201, after: true, retryAfter: 1, body: "{}" };
    equal("rules", await (await visit.send("GET", "/faults")).json(), [
      { ...changed, ...chosen, ...changes, ...delivery },
      { ...replaced, operationId: "addPet", times: 1, used: 0, met: 0, left: 1 },
    ]);
    for (let sent = 0; sent < 2; sent++) await (await visit.send("GET", "/v2/pet/1")).text();
    await visit.rest();
    const entry = await visit.openRequest("cut off");
    const row = visit.page.locator("#requests .row:has([aria-current])");
    const marks = ["rule 1: cut off, patched, headers, slowed, late"];
    equal("marks", await row.locator(".mark").allInnerTexts(), marks);
    await entry.getByText("A patch changed the body.").waitFor();
    await entry.getByText(`Rule 1: ${second}`).waitFor();
    await visit.page.goBack();
    await visit.send("DELETE", "/faults");
  });
  await check("an answer that Prefer replaced says so", async () => {
    const headers = { Prefer: "code=503" };
    await fetch(`${visit.origin}${visit.path}/v2/user/nobody`, { headers });
    await visit.rest();
    const entry = await visit.openRequest("/v2/user/nobody");
    await entry.getByText("The request asked for it in Prefer.").waitFor();
    await entry.getByRole("link", { name: "Close" }).click();
  });
  await check("a failed request of the page is shown in the place of its data", async () => {
    await visit.page.route(/\/(faults|data)$/, (route) =>
      route.fulfill({ status: 503, json: { message: "Unavailable" } }),
    );
    await visit.send("PUT", "/data", { data: "empty" });
    const text = "This could not be read: 503 Unavailable.";
    await visit.page.locator(".rules .fault", { hasText: text }).waitFor();
    await visit.page.locator(".data .fault", { hasText: text }).waitFor();
    await visit.page.unrouteAll();
    await visit.page
      .locator(":is(.rules > .fault, .data .fault)")
      .first()
      .waitFor({ state: "detached" });
  });
}

async function checkConnection(visit: StorePage): Promise<void> {
  await check("the page says that the connection is lost, until it is there again", async () => {
    await visit.page.route(/\/stores\/[^/]+$/, (route) => route.abort());
    const fault = visit.page.locator("section.wide .fault");
    await fault.filter({ hasText: "Connection lost. Trying again…" }).waitFor();
    await visit.page.unrouteAll();
    await fault.waitFor({ state: "detached" });
    // The browser logs each of these requests.
    const logged = visit.faults.splice(0).map((text) => text.replace(/.*(net::\w+).*/, "$1"));
    equal("faults", [...new Set(logged)], ["net::ERR_FAILED"]);
  });
}

async function checkData(visit: StorePage): Promise<void> {
  await check("buttons fill and empty the sandbox after a confirmation", async () => {
    await visit.click("classic data");
    await visit.answer("Replace all with classic data");
    await visit.holds(10, 3, 10);
    await visit.click("nothing");
    await visit.answer("Cancel");
    await visit.click("nothing");
    await visit.answer("Replace all with nothing");
    await visit.says("done", "The store holds nothing.");
    await visit.holds(0, 0, 0);
  });
  await check("a downloaded file can be restored", async () => {
    await visit.send("POST", "/v2/user", { username: "ada" });
    await visit.holds(0, 0, 1);
    const download = visit.page.waitForEvent("download");
    await visit.page.locator(".data").getByRole("link", { name: "Download" }).click();
    const buffer = readFileSync(await (await download).path());
    await visit.send("PUT", "/data", { data: "empty" });
    await visit.holds(0, 0, 0);
    const file = { name: "store.json", mimeType: "application/json", buffer };
    await visit.page.locator('input[type="file"]').setInputFiles(file);
    await visit.answer("Replace all with store.json");
    await visit.holds(0, 0, 1);
  });
  await check("changes by PUT /data are shown, without their pictures", async () => {
    await visit.send("PUT", "/data", {
      pets: traps(visit.path),
      orders: [{ petId: 1, quantity: 0 }],
      users: [{ username: "ada" }, { firstName: "Grace" }],
    });
    await visit.holds(6, 1, 2);
    // The page loads the data after the counts.
    await visit.page.locator("#users li", { hasText: "Grace" }).waitFor();
    await visit.page.waitForLoadState("networkidle");
    equal("faults", visit.faults, []);
    const rows = async (id: string) => visit.page.locator(`#${id} li`).allInnerTexts();
    equal("orders", await rows("orders"), ["Order 1: pet 1, quantity 0"]);
    equal("users", await rows("users"), ["ada: id 1", "User 2: Grace"]);
  });
  await check("long ids stay in their cards", async () => {
    await visit.send("PUT", "/data", {
      pets: [{ id: Number.MAX_SAFE_INTEGER, name: "\u202eRex", photoUrls: [] }],
    });
    const card = visit.page.locator("#pets li", { hasText: String(Number.MAX_SAFE_INTEGER) });
    const [inner, outer] = [await card.locator(".id").boundingBox(), await card.boundingBox()];
    const endOf = (box: typeof inner) => (box ? box.x + box.width : Infinity);
    equal("within", endOf(inner) <= endOf(outer), true);
  });
  await check("a button deletes the sandbox, and the page leaves", async () => {
    await visit.click("Delete the store");
    await visit.answer("Delete the store");
    await visit.page.getByText("Make a sandbox").waitFor();
    await visit.page.goBack();
    await visit.says("missing", "It does not exist.");
    equal("status", (await visit.send("GET", "")).status, 404);
  });
  await check("a sandbox that is deleted elsewhere clears the page, and may return", async () => {
    await visit.send("POST", "/v2/user", { username: "ada" });
    await visit.holds(0, 0, 1);
    await visit.logHas(1);
    await visit.send("DELETE", "");
    await visit.says("missing", "It does not exist.");
    equal("requests", await visit.log(), []);
    equal("users", await visit.page.locator("#users li").count(), 0);
    await visit.send("POST", "/v2/user", { username: "grace" });
    await visit.holds(0, 0, 1);
    await visit.logHas(1);
    await visit.send("GET", "/v2/user/grace");
    await visit.logHas(2);
    equal("log", await visit.log(), ["GET /v2/user/grace 200", "POST /v2/user 200"]);
  });
}

async function checkDocumentation(visit: StorePage): Promise<void> {
  await check("the page has the documentation of the sandbox, and loads it on demand", async () => {
    equal("before", await visit.page.evaluate("'SwaggerUIBundle' in globalThis"), false);
    await visit.page.getByRole("link", { name: "Documentation" }).click();
    await visit.page.locator('.opblock[id$="-getInventory"] .opblock-summary-control').click();
    await visit.page.locator(".btn.execute").click();
    await visit.page.locator(".live-responses-table").waitFor();
    const url = await visit.page.locator(".request-url pre").innerText();
    equal("the URL", url, `${visit.origin}${visit.path}/v2/store/inventory`);
    await visit.page.getByRole("link", { name: "Store", exact: true }).click();
    await visit.page.locator("#requests li", { hasText: "getInventory" }).waitFor();
    equal("log", await visit.log(), [
      "GET /v2/store/inventory 200",
      "GET /v2/user/grace 200",
      "POST /v2/user 200",
    ]);
  });
}

async function checkMissing(visit: StorePage): Promise<void> {
  await check("a missing sandbox has a page, which does not create it", async () => {
    await visit.says("missing", "It does not exist. The first request makes it, where");
    equal("status", (await visit.send("GET", "")).status, 404);
    equal("delete", await visit.page.getByText("Delete the store").isVisible(), false);
  });
  await check("a button on that page creates it", async () => {
    await visit.click("nothing");
    await visit.holds(0, 0, 0);
  });
}

/** Fills the page with every kind of row. */
async function fill(visit: StorePage): Promise<void> {
  await visit.send("PUT", "/data", { data: "classic" });
  await visit.send("PUT", "/requests", { record: "full" });
  await visit.send("PUT", "/faults", [
    { method: "DELETE", status: 503 },
    { operationId: "addPet", status: 503, times: 1, after: true },
  ]);
  for (const name of ["Rex", "Rex", ""]) {
    await visit.send("POST", "/v2/pet", { name, photoUrls: [] }, `the key of ${name}`);
  }
  await visit.send("DELETE", `/v2/user/${"a-long-name".repeat(7)}`);
  await visit.send("GET", "/v2/pet/1");
  await visit.logHas(5);
  await visit.holds(11, 3, 10);
}

async function checkLooks(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions,
  where: string,
): Promise<void> {
  const store = crypto.randomUUID();
  const visit = await StorePage.open(browser, origin, store, { ...options, bypassCSP: true });
  const looks = async (what: string) =>
    check(`axe-core finds nothing, and nothing is too wide, ${what} (${where})`, async () => {
      equal("violations", await visit.violations(), []);
      equal("overflow", await visit.overflow(), 0);
    });
  await visit.says("missing", "It does not exist.");
  await looks("while there is no store");
  await fill(visit);
  await looks("on the page of a store");
  await visit.show("Rules");
  await visit.page.getByText("Add a rule").click();
  await visit.page.getByText("More", { exact: true }).click();
  await visit.page.locator("[name=patch]").fill("{");
  await visit.click("Add the rule");
  await visit.page.locator(".rules .fault").waitFor();
  await looks("with a refused rule");
  await visit.show("Requests");
  for (const text of ["405", "attempt 2 of 2", "a-long-name"]) {
    await visit.openRequest(text);
    await looks(`with a request open: ${text}`);
    await visit.page.getByRole("link", { name: "Close" }).click();
  }
  await visit.show("Data");
  await visit.click("Delete the store");
  await looks("with a question");
  await visit.answer("Cancel");
  await visit.page.getByRole("link", { name: "Documentation" }).click();
  await visit.page.locator(".opblock").first().waitFor();
  await looks("with the documentation");
  await visit.page.goto(`${origin}/stores/`);
  await looks("where no store is named");
  await visit.close();
}

async function checkPhone(browser: Browser, origin: string): Promise<void> {
  const options = { viewport: PHONE, isMobile: true, hasTouch: true };
  const visit = await StorePage.open(browser, origin, crypto.randomUUID(), options);
  await check("on a phone, requests, rules and data are tabs", async () => {
    for (let sent = 0; sent < 30; sent++) await visit.send("GET", `/v2/pet/${sent}`);
    const tab = (name: string) => visit.page.getByRole("tab", { name });
    const shown = async () => visit.page.locator(".panel:visible h2").allInnerTexts();
    await visit.page.getByText("and 5 more").click();
    await visit.logHas(30);
    equal("first", await shown(), ["Requests", "Use it"]);
    await tab("Requests").press("ArrowRight");
    equal("second", await shown(), ["Rules"]);
    await tab("Rules").press("End");
    equal("last", await shown(), ["Data"]);
    equal("focus", await visit.ask("hasFocus", '[role="tab"][aria-selected="true"]'), true);
    await tab("Data").press("ArrowRight");
    await visit.openRequest("/v2/pet/7");
    equal("with a request open", await shown(), [
      await visit.page.locator("#entry h2").innerText(),
    ]);
    await visit.page.getByRole("link", { name: "Close" }).click();
    equal("after it", await shown(), ["Requests", "Use it"]);
  });
  await visit.close();
}

async function checkKeyboard(visit: StorePage): Promise<void> {
  const press = async (key: string) => visit.page.keyboard.press(key);
  await check("the keyboard is enough to make, watch, break and delete a sandbox", async () => {
    await visit.says("missing", "It does not exist.");
    await visit.tabTo(".data .line button");
    await press("Enter");
    await visit.holds(10, 3, 10);
    await visit.send("PUT", "/requests", { record: "full" });
    await visit.send("GET", "/v2/pet/1");
    await visit.send("GET", "/v2/pet/2");
    await visit.rest();
    await visit.logHas(2);
    await visit.tabTo("#requests .row a");
    await press("ArrowDown");
    await press("Enter");
    await visit.says("entry-title", "/v2/pet/1");
    await visit.tabTo("#entry .line button:last-child");
    await press("Enter");
    await visit.page.getByText("used 0 of 1").waitFor();
    await visit.tabTo("#rules button");
    await press("Space");
    await visit.page.getByText("used 0 of 1").waitFor({ state: "detached" });
    equal("the focus is kept", await visit.ask("hasFocus", "body"), false);
    await visit.tabTo(".rules summary");
    await press("Enter");
    await visit.tabTo('[name="status"]');
    await visit.page.keyboard.type("500");
    await press("Enter");
    await visit.page
      .locator("#rules", { hasText: "The answer to every request is 500." })
      .waitFor();
    await visit.tabTo(".data .danger");
    await press("Enter");
    await visit.tabTo("dialog .main");
    await press("Enter");
    await visit.page.getByText("Make a sandbox").waitFor();
  });
}

/** Checks the pages below /stores/. */
export async function checkStorePages(browser: Browser, origin: string): Promise<void> {
  const permissions = ["clipboard-read", "clipboard-write"];
  const desktop = await StorePage.open(browser, origin, undefined, { permissions });
  await checkUse(desktop);
  await checkEntry(desktop);
  await checkNewest(desktop);
  await checkLog(desktop);
  await checkRules(desktop);
  await checkConnection(desktop);
  await checkData(desktop);
  await checkDocumentation(desktop);
  await checkMade(desktop);
  await desktop.close();
  const missing = await StorePage.open(browser, origin, crypto.randomUUID());
  await checkMissing(missing);
  await missing.close();
  for (const colorScheme of ["light", "dark"] as const) {
    // The colours do not depend on the zoom.
    const viewports = colorScheme === "light" ? [DESKTOP, ZOOMED, PHONE] : [DESKTOP, PHONE];
    for (const viewport of viewports) {
      const where = `${colorScheme}, ${viewport.width} px`;
      await checkLooks(browser, origin, { colorScheme, viewport }, where);
    }
  }
  await checkPhone(browser, origin);
  const keyboard = await StorePage.open(browser, origin, crypto.randomUUID());
  await checkKeyboard(keyboard);
  await keyboard.close();
}
