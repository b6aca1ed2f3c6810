// What a page can do with a file that a client uploaded to its own origin.
import type { Browser } from "playwright-core";
import { check, equal } from "../check.ts";
import { memberOf, succeed } from "../http.ts";
import { newPage } from "./visit.ts";

const FILES: Readonly<Record<string, string>> = {
  "text/html": "<script>document.title = 'run'</script>",
  "image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title = 1"/>',
  "text/javascript": "document.title = 'run'",
  "text/css": "body { display: none }",
};

/** Loads a file as a script and as a style sheet. */
const LOAD = `async (url) => Promise.all(
  [["script", { src: url }], ["link", { rel: "stylesheet", href: url }]].map(([name, attributes]) =>
    new Promise((resolve) => {
      const element = Object.assign(document.createElement(name), attributes);
      element.onload = element.onerror = ({ type }) => resolve(type);
      document.head.append(element);
    })))`;

/** Checks that no browser runs or shows an uploaded file. */
export async function checkFiles(browser: Browser, origin: string): Promise<void> {
  const path = `/stores/${crypto.randomUUID()}`;
  const pet = { id: 1, name: "Rex", photoUrls: [] };
  await succeed(origin + path, "POST /v2/pet", { json: pet });
  const page = await newPage(browser, {});
  for (const [type, text] of Object.entries(FILES)) {
    await check(`an uploaded file of the type ${type} is only downloaded`, async () => {
      const body = new FormData();
      body.set("file", new File([text], "file", { type }));
      await succeed(origin + path, "POST /v2/pet/1/uploadImage", { body });
      const { json } = await succeed(origin + path, "GET /v2/pet/1");
      const url = origin + String((memberOf(json, "photoUrls") as string[]).at(-1));
      await page.goto(`${origin}${path}/`);
      equal("loads", await page.evaluate(`(${LOAD})(${JSON.stringify(url)})`), ["error", "error"]);
      const title = await page.title();
      const downloaded = page.waitForEvent("download");
      await page.goto(url).catch(() => undefined);
      equal("download", (await downloaded).url(), url);
      equal("title", await page.title(), title);
    });
  }
  await page.context().close();
}
