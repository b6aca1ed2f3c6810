// What a page of another origin can read of a sandbox whose name it knows.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { check, equal } from "../check.ts";
import { newPage } from "./visit.ts";

/** Reads a sandbox in every way that a script has. */
const TRY = `async (store) => {
  const asked = async (path, init) => (await fetch(store + path, init).catch(() => ({ status: "refused" }))).status;
  const event = (target, good) => new Promise((resolve) => {
    target.addEventListener(good, () => resolve(true));
    for (const bad of ["error", "close"]) target.addEventListener(bad, () => resolve(false));
  });
  const script = document.createElement("script");
  script.src = store + "/requests?format=test";
  const loaded = event(script, "load");
  document.head.append(script);
  return {
    data: await asked("/data"),
    requests: await asked("/requests"),
    test: await asked("/requests?format=test"),
    put: await asked("/requests", { method: "PUT", body: '{"record":"full"}' }),
    delete: await asked("/requests", { method: "DELETE" }),
    script: await loaded,
    socket: await event(new WebSocket(store.replace("http", "ws") + "/requests"), "open"),
  };
}`;

/** Checks that only pages of the same origin can read the record. */
export async function checkForeignPage(browser: Browser, origin: string): Promise<void> {
  const store = `${origin}/stores/${crypto.randomUUID()}`;
  await fetch(`${store}/v2/pet/1`);
  const elsewhere = createServer((_, answer) => {
    answer.setHeader("Content-Type", "text/html").end("<title>Elsewhere</title>");
  }).listen(0, "localhost");
  await once(elsewhere, "listening");
  const page = await newPage(browser, {});
  await check("a page of another origin cannot read the record", async () => {
    const { port } = elsewhere.address() as AddressInfo;
    await page.goto(`http://localhost:${port}/`);
    const read = await page.evaluate(`(${TRY})(${JSON.stringify(store)})`);
    const refused = { requests: "refused", test: "refused", put: "refused", delete: "refused" };
    equal("read", read, { data: 200, ...refused, script: false, socket: false });
    const requests = (await (await fetch(`${store}/requests`)).json()) as unknown[];
    equal("requests", requests.length, 1);
  });
  await page.context().close();
  elsewhere.close();
}
