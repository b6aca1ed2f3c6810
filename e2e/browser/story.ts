// The page that the package's command prints: a client fails, its author sees why, makes a request fail, and gets a test.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { ROOT, outputOf } from "../../scripts/programs.ts";
import { Program } from "../process.ts";
import { check, equal } from "../check.ts";
import { StorePage } from "./stores.ts";
import { Visit, newPage } from "./visit.ts";

/** Runs a downloaded test in the folder with the package. The limits are for busy machines. */
function runTest(folder: string, path: string): void {
  copyFileSync(path, join(folder, "requests.test.js"));
  outputOf("npx", [
    "vitest",
    "run",
    "--root",
    folder,
    "--hookTimeout=300000",
    "--testTimeout=300000",
  ]);
}

async function tell(browser: Browser, address: string, folder: string): Promise<void> {
  const { origin, pathname } = new URL(address);
  const [, , store = ""] = pathname.split("/");
  const visit = await StorePage.open(browser, origin, store);
  await check(
    "the command prints the address of its page, which shows no end of the store's life",
    async () => {
      await visit.holds(10, 3, 10);
      equal("facts", await visit.page.locator("#state li").count(), 4);
      equal("other stores", await visit.page.getByText("New sandbox").isVisible(), false);
    },
  );
  await check("a client fails, and the page shows what it sent and what was wrong", async () => {
    equal("status", (await visit.send("POST", "/v2/pet", { name: "" })).status, 405);
    const entry = await visit.openRequest("405");
    await entry.getByText('"name": ""').waitFor();
    equal("errors", await entry.locator(".refused li").allInnerTexts(), [
      "name must not be empty",
      "photoUrls is required",
    ]);
  });
  await check(
    "one click makes the next request fail, and the client retries with its key",
    async () => {
      await visit.click("Answer this with 503 next time");
      await visit.page.getByText("used 0 of 1").waitFor();
      for (const status of [503, 200]) {
        const answer = await visit.send("POST", "/v2/pet", { name: "Rex", photoUrls: [] }, "a key");
        equal("status", answer.status, status);
      }
      await visit.page.locator("#requests .mark", { hasText: "attempt 2 of 2" }).waitFor();
    },
  );
  await check("the test that the page offers repeats the requests and passes", async () => {
    const waiting = visit.page.waitForEvent("download");
    await visit.page.getByRole("link", { name: "Test", exact: true }).click();
    runTest(folder, await (await waiting).path());
  });
  await visit.close();
  await checkDocumentation(browser, origin, store);
}

/** Anyone who reaches the server may see /docs/, but the store's name may be secret. */
async function checkDocumentation(browser: Browser, origin: string, store: string): Promise<void> {
  const visit = new Visit(await newPage(browser, {}), origin);
  const asked: string[] = [];
  visit.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await check("/docs/ neither names the user's store nor sends requests to it", async () => {
    const before = await visit.requests(store);
    await visit.page.goto(`${origin}/v2`);
    await visit.page.locator(".opblock").first().waitFor();
    equal("address", visit.page.url(), `${origin}/docs/`);
    equal(
      "asked",
      asked.filter((path) => path.startsWith("/v2/")),
      ["/v2/openapi.json"],
    );
    equal("log", await visit.requests(store), before);
    equal("names", (await visit.page.content()).includes(store), false);
    const words = visit.page.getByText("go to the shared store");
    equal("words", await words.isVisible(), false);
    equal("other stores", await visit.page.getByText("New sandbox").isVisible(), false);
  });
  await visit.close();
}

/** Builds the package and runs its command. It has its own folder, because other tests may use `dist/package`. */
export async function checkStory(browser: Browser): Promise<void> {
  const folder = mkdtempSync(join(ROOT, "dist", "story-"));
  const built = join(folder, "node_modules", "pet-store-service");
  try {
    outputOf("npm", ["run", "build:package", "--", built]);
    const command = new Program([process.execPath, join(built, "command.js"), "--port", "0"]);
    try {
      const [, address = ""] = await command.says(/Page +(http\S+)\n/);
      await tell(browser, address, folder);
    } finally {
      await command.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
