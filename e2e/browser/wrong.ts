// What browsers do with answers that rules of a sandbox wrote.
import type { Browser, Page } from "playwright-core";
import { check, equal } from "../check.ts";
import { newPage } from "./visit.ts";

const MARK = "it-ran";

/** A script that leaves a mark in its page, or sends it from its worker, and asks for a file. */
const ACTIVE = `globalThis.document ? document.documentElement.dataset.mark = 1 : postMessage(1); fetch("/docs/${MARK}")`;
const HTML = `<title>x</title><script>${ACTIVE}</script><img src="/docs/${MARK}" onerror='${ACTIVE}'>
<meta http-equiv="refresh" content="0;url=/docs/${MARK}"><iframe srcdoc="<script>${MARK}</script>"></iframe>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>${ACTIVE}</script></svg>`;

const TYPES = ["text/html", "application/xhtml+xml", "image/svg+xml", "text/xml", null] as const;

/** What a page of the same origin could load as a script or a style if its type were not checked. */
const LOADABLE = [undefined, "text/html", "application/json", "application/octet-stream", "x/y"];

/** Loads the answer in every way that runs it. @returns the ways that worked */
const LOAD = `async (url) => {
  const event = (target, good) => new Promise((resolve) => {
    target.addEventListener(good, () => resolve(true));
    target.addEventListener("error", () => resolve(false));
  });
  const script = (members) => {
    const element = Object.assign(document.createElement("script"), { src: url, ...members });
    const loaded = event(element, "load");
    document.head.append(element);
    return loaded;
  };
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: url });
  const styled = event(style, "load");
  document.head.append(style);
  const ways = {
    script: await script({}),
    module: await script({ type: "module" }),
    style: await styled,
    import: await import(url).then(() => true, () => false),
    worker: await new Promise((resolve) => {
      const worker = new Worker(url);
      worker.onmessage = () => resolve(true);
      worker.onerror = () => resolve(false);
    }),
    mark: document.documentElement.dataset.mark !== undefined,
  };
  return Object.keys(ways).filter((way) => ways[way]);
}`;

/** The paths that a page gets, without the icon. The browser reports a request even if the policy blocks it. */
function pathsOf(page: Page): string[] {
  const paths: string[] = [];
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (pathname !== "/favicon.ico") paths.push(pathname);
  });
  return paths;
}

/** Checks that nothing that a rule writes runs, leads elsewhere or sets a cookie. */
export async function checkWrongAnswers(browser: Browser, origin: string): Promise<void> {
  const store = `/stores/${crypto.randomUUID()}`;
  const pet = `${store}/v2/pet/1`;
  const demand = async (rule: object) => {
    const body = JSON.stringify([rule]);
    const headers = { "Content-Type": "application/json" };
    const { status } = await fetch(`${origin}${store}/faults`, { method: "PUT", headers, body });
    equal(`status of ${body}`, status, 204);
  };
  const page = await newPage(browser, {});
  const paths = pathsOf(page);
  await check("a document that a rule writes runs nothing and loads nothing", async () => {
    for (const type of TYPES) {
      for (const body of [HTML, SVG]) {
        await demand({
          status: 200,
          body,
          headers: { "content-type": type, link: "</v2/pet/2>; rel=stylesheet" },
        });
        paths.length = 0;
        // Without a type, the browser may download it.
        await page.goto(origin + pet).catch(() => undefined);
        await page.waitForTimeout(200);
        equal(`answers to a page of ${type}`, paths, [pet]);
      }
    }
  });
  await check("a page of the same origin loads no script and no style from a rule", async () => {
    for (const type of LOADABLE) {
      const headers = type && { headers: { "content-type": type } };
      await demand({ status: 200, body: ACTIVE, ...headers });
      await page.goto(`${origin}/stores/`);
      equal(`ways of ${type}`, await page.evaluate(`(${LOAD})(${JSON.stringify(pet)})`), []);
    }
  });
  await check("a redirect of a rule stays in its sandbox, and no cookie is set", async () => {
    await demand({ path: "/pet/1", status: 302, headers: { location: "/v2/pet/2" } });
    await page.goto(origin + pet);
    equal("the URL", page.url(), `${origin}${store}/v2/pet/2`);
    equal("cookies", await page.context().cookies(), []);
  });
  await page.context().close();
}
