import { describe, makeStore, pathOf, read, send } from "../../docs/sandbox.js";
import { html, render } from "../../docs/vendor/lit-html.js";
import { entryView } from "./entry.js";
import { RequestLog, watch } from "./log.js";
import { dataPanel, headView, rulesPanel } from "./panels.js";
import { listView } from "./requests.js";
import { newView, useView } from "./start.js";

/** How often to look for a store that does not exist, or to reconnect. */
const RETRY_MS = 2000;

/** How often to read the state of the store. The log does not show changes outside the interface. */
const REFRESH_MS = 5000;

/** The least time between a request and the next reading of the store. */
const LEAST_PAUSE_MS = 300;

const element = (id) => document.getElementById(id);

const [, store] = /^\/stores\/([\w-]{16,64})\/?$/.exec(location.pathname) ?? [];

/** The state of the page, and the functions that its views call. */
const page = {
  store,
  path: pathOf(store),
  base: `${location.origin}${pathOf(store)}/v2`,
  /** The state of the store; `null` if it does not exist. */
  about: undefined,
  content: undefined,
  rules: undefined,
  /** The operations of the interface, read when the form for rules opens. */
  operations: [],
  /** Errors of the page's own requests, by the part of the page that shows them. */
  faults: {},
  log: new RequestLog(),
  filter: { operationId: "", status: "" },
  isPaused: false,
  draw,
  say,
  act,
  addRule,
  confirmed,
  readOperations,
  makeNew: async () => {
    try {
      location.assign(`${pathOf(await makeStore("classic"))}/`);
    } catch (error) {
      say(`The service could not make a sandbox: ${error.message}.`, 60_000);
    }
  },
};

let isDue = false;
let lastId;

/** Draws the page once, however often it is called in the meantime. */
function draw() {
  if (isDue) return;
  isDue = true;
  queueMicrotask(() => {
    isDue = false;
    const open = page.log.find(openId);
    const view = html`
      ${headView(page)}
      <div class="desk wide ${open ? "is-open" : ""}" ?hidden=${isDocumentation()}>
        ${listView(page, open)}
        <div class="beside">${open ? entryView(page, open) : useView(page)}</div>
        <div class="side">${rulesPanel(page)}${dataPanel(page)}</div>
      </div>
    `;
    const focused = document.activeElement;
    render(view, element("page"));
    // The focused element may be gone, or hidden behind the open request on small screens.
    if (!focused.isConnected || !focused.checkVisibility()) {
      const row = document.querySelector(`#requests [href="#${lastId}"]`);
      (element("entry-title") ?? row ?? element("title")).focus();
    }
    lastId = open?.id;
  });
}

let silence;

/** Shows a notice, until the next one or for `ms`. */
function say(text, ms = 6000) {
  element("done").textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => (element("done").textContent = ""), ms);
}

/** Runs the work of a button, and shows `done` or the error. @returns whether it worked */
async function act(done, work) {
  let isDone = true;
  try {
    await work();
    say(done);
  } catch (error) {
    isDone = false;
    say(`That did not work: ${error.message}.`, 60_000);
  }
  await refresh(true);
  return isDone;
}

/** Asks for confirmation. */
function confirmed(title, text, verb) {
  const dialog = element("question");
  element("question-title").textContent = title;
  dialog.querySelector("p").textContent = text;
  dialog.querySelector(".main").textContent = verb;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    const answer = () => resolve(dialog.returnValue === "yes");
    dialog.addEventListener("close", answer, { once: true });
  });
}

/** Adds a rule before the others, so that it wins. */
async function addRule(rule, done) {
  return act(done, async () => {
    const rules = page.about ? await read(`${page.path}/faults`) : [];
    await send("PUT", `${page.path}/faults`, [rule, ...rules]);
  });
}

async function readOperations() {
  if (page.operations.length > 0) return;
  const { paths } = await read(`${page.path}/v2/openapi.json`);
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  page.operations = operations.flatMap(({ operationId }) => operationId ?? []);
  draw();
}

/** Keeps the page up to date, whether the store exists or not. */
async function follow() {
  setInterval(() => {
    if (!document.hidden) void refresh();
  }, REFRESH_MS);
  for (;;) {
    if (!document.hidden && (await refresh())) {
      await watch(`${page.path}/requests`, {
        onLog(entries) {
          delete page.faults.log;
          page.log.show(entries);
          draw();
        },
        onRequests(entries) {
          page.log.add(entries, page.isPaused || isInUse("requests"));
          draw();
          refreshSoon(entries.some(({ method }) => method !== "GET" && method !== "HEAD"));
        },
      });
      if (await refresh()) page.faults.log = "Connection lost. Reconnecting.";
      draw();
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Whether the pointer or the focus is in a list: then it must not move. */
const isInUse = (id) => element(id).matches(":hover, :focus-within");

let timer;
let pause = LEAST_PAUSE_MS;
let isChanged = false;

/** Reads the store again, at most once per pause. A slow answer makes the pause longer. */
function refreshSoon(writes) {
  isChanged ||= writes;
  timer ??= setTimeout(async () => {
    const began = performance.now();
    const was = isChanged;
    isChanged = false;
    await refresh(was);
    pause = Math.max(LEAST_PAUSE_MS, 5 * (performance.now() - began));
    timer = undefined;
  }, pause);
}

let reading;

/**
 * Reads the store and shows it. Reads its content only if that may have changed: the caller or the counts say so.
 * @returns whether the store exists
 */
async function refresh(hasChanged = false) {
  reading = readParts(hasChanged, reading);
  await reading;
  draw();
  return Boolean(page.about) && !page.faults.about;
}

/** @param before the previous reading: its answers must not replace newer ones */
async function readParts(hasChanged, before) {
  await before;
  const known = numbersOf(page.about);
  if (!(await readPart("about", () => describe(store)))) return;
  if (page.about === null) {
    Object.assign(page, { content: undefined, rules: [], faults: {} });
    page.log.show([]);
    return;
  }
  if (hasChanged || page.faults.content || !page.content || known !== numbersOf(page.about)) {
    await readPart("content", () => read(`${page.path}/data`));
  }
  await readPart("rules", async () => {
    const rules = await read(`${page.path}/faults`);
    const isMoving = rules.length !== page.rules?.length && isInUse("rules");
    return isMoving && !hasChanged ? page.rules : rules;
  });
}

const numbersOf = (about) => JSON.stringify({ ...about, expiresAt: "" });

/** Reads the content of a part of the page, or shows the error there. @returns whether it worked */
async function readPart(part, work) {
  try {
    page[part] = await work();
    delete page.faults[part];
    return true;
  } catch (error) {
    page.faults[part] = `This could not be read: ${error.message}.`;
    return false;
  }
}

/** The id of the open request, if any. */
let openId;
let explorer;

const isDocumentation = () => location.hash.startsWith("#/");

/** Shows what the URL's fragment names: `#/…` the documentation, `#12` a request. */
async function route() {
  draw();
  element("documentation").hidden = !isDocumentation();
  element("to-requests").ariaCurrent = isDocumentation() ? null : "page";
  element("to-documentation").ariaCurrent = isDocumentation() ? "page" : null;
  if (isDocumentation()) {
    explorer ??= import("../../docs/explorer.js").then(({ showOperations }) =>
      showOperations(element("documentation"), page.path),
    );
    return;
  }
  openId = Number(location.hash.slice(1));
  await new Promise(requestAnimationFrame);
  element("entry-title")?.scrollIntoView({ block: "nearest" });
}

for (const button of element("question").querySelectorAll("button")) {
  button.addEventListener("click", () => element("question").close(button.value));
}
if (store === undefined) {
  render(newView(page), element("page"));
} else {
  element("parts").hidden = false;
  document.title = `${store} · Pet Store Service`;
  addEventListener("hashchange", route);
  void route();
  void follow();
}
