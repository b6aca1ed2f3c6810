import { contentOf, describe, makeStore, pathOf, send } from "../../docs/own-store.js";
import { sentenceOn, showContent } from "./content.js";
import { RequestLog, watch } from "./log.js";
import { copyOnClick, showSnippets } from "./snippets.js";

/** How often to look up a store that does not exist, or whose connection was lost. */
const RETRY_MS = 2000;

/** How often to read the numbers. The log does not show changes that are made outside the interface. */
const REFRESH_MS = 5000;

/** The shortest pause between a request that writes and reading the store again. */
const LEAST_PAUSE_MS = 300;

const NOTHING = { pets: [], orders: [], users: [] };

const CONNECTED = "Each request appears here after its answer.";

const element = (id) => document.getElementById(id);
const log = new RequestLog(element("requests"));

const [, store] = /^\/stores\/([\w-]{16,64})\/?$/.exec(location.pathname) ?? [];

/** Does what a button says, and shows the result. */
function onClick(id, done, work) {
  element(id).addEventListener("click", async () => {
    try {
      await work();
      element("done").textContent = done;
    } catch (error) {
      element("done").textContent = `That did not work: ${error.message}.`;
    }
  });
}

function showPage(base) {
  element("use-title").textContent = "Base URL";
  element("base").textContent = base;
  element("base-row").hidden = false;
  copyOnClick(element("copy-base"), "the base URL", () => base);
  showSnippets(element("snippets"), base);
  element("columns").hidden = false;
  element("make-another").textContent = "Make another store";

  const data = `${pathOf(store)}/data`;
  onClick("make", "The store exists now.", async () => change("PUT", data, { data: "empty" }));
  onClick("fill", "The store has the classic data.", async () =>
    change("PUT", data, { data: "classic" }),
  );
  onClick("empty", "The store is empty.", async () => change("PUT", data, { data: "empty" }));
  onClick("delete", "The store is deleted.", async () => change("DELETE", pathOf(store)));
}

async function change(method, path, json) {
  await send(method, path, json);
  await refresh({ isChanged: true });
}

/** Shows the store for as long as the page is open, whether it exists or not. */
async function follow() {
  setInterval(() => {
    if (!document.hidden) void refresh();
  }, REFRESH_MS);
  for (;;) {
    if (!document.hidden && (await refresh())) {
      await watch(`${pathOf(store)}/requests`, {
        onLog(requests) {
          say("connection", CONNECTED);
          log.show(requests);
        },
        onRequests(requests) {
          log.add(requests);
          say("done", "");
          if (requests.some(({ method }) => method !== "GET" && method !== "HEAD")) refreshSoon();
        },
      });
      if (await refresh()) say("connection", "The connection was lost. The page tries again.");
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

let timer;
let pause = LEAST_PAUSE_MS;

/** Reads the store only from time to time if requests write all the time. */
function refreshSoon() {
  timer ??= setTimeout(async () => {
    const began = performance.now();
    await refresh({ isChanged: true });
    pause = Math.max(LEAST_PAUSE_MS, 5 * (performance.now() - began));
    timer = undefined;
  }, pause);
}

/** The last request, and what the store said about itself when the page last read its content. */
let latest;
let known;

/**
 * Reads the store and shows it. It reads the content only if a caller or the numbers say that it has changed.
 * @returns whether the store exists
 */
async function refresh({ isChanged = false } = {}) {
  const question = {};
  latest = question;
  try {
    const description = await describe(store);
    const { expiresAt: _, ...numbers } = description ?? {};
    const isKnown = !isChanged && known === JSON.stringify(numbers);
    const content = isKnown ? undefined : description ? await contentOf(store) : NOTHING;
    if (latest !== question) return description !== undefined;
    known = isKnown ? known : JSON.stringify(numbers);
    show(description, content);
    return description !== undefined;
  } catch (error) {
    known = undefined;
    say("state", `The store could not be read: ${error.message}.`);
    return false;
  }
}

/** @param content `undefined` if it has not changed */
function show(description, content) {
  const exists = description !== undefined;
  const focused = document.activeElement;
  element("make").hidden = exists;
  element("fill").hidden = false;
  element("empty").hidden = !exists;
  element("delete").hidden = !exists;
  // If a button disappears that has the focus, the focus would be lost.
  if (focused?.hidden) element("fill").focus();
  say("state", exists ? sentenceOn(description) : "It does not exist. The first request makes it.");
  if (content) showContent(content, `${pathOf(store)}/v2`);
  if (!exists) {
    log.show([]);
    say("connection", CONNECTED);
  }
}

/** Shows a text, unless it is shown already. */
function say(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text;
}

onClick("make-another", "", async () => {
  location.assign(`${pathOf(await makeStore("classic"))}/`);
});

if (store === undefined) {
  element("state").textContent =
    "The button makes it immediately, with some pets, orders and users in it.";
} else {
  showPage(`${location.origin}${pathOf(store)}/v2`);
  void follow();
}
