import {
  describe,
  forgetStore,
  makeStore,
  pathOf,
  read,
  send,
  storesMade,
} from "../../docs/sandbox.js";
import { html, nothing, render } from "../../docs/vendor/lit-html.js";
import { entryView } from "./entry.js";
import { RequestLog, watch } from "./log.js";
import { dataPanel } from "./data.js";
import { expires, headView, moment } from "./head.js";
import { tabList } from "./parts.js";
import { listView } from "./requests.js";
import { rulesPanel } from "./rules.js";
import { newView, useView } from "./start.js";

/** How often to look for a store that does not exist, or to reconnect. */
const RETRY_MS = 2000;

/** How often to read the state of the store. The log does not show changes outside the interface. */
const REFRESH_MS = 5000;

/** The least time between a request and the next reading of the store. */
const LEAST_PAUSE_MS = 300;

/** How long a notice is shown. */
const NOTICE_MS = 6000;

const element = (id) => document.getElementById(id);

const [, store] = /^\/stores\/([\w-]{16,64})\/?$/.exec(location.pathname) ?? [];

/** As in page.css. */
const PHONE = matchMedia("(max-width: 699px)");
const WIDE = matchMedia("(min-width: 1200px)");

/** The panels that are tabs on a phone. */
const PANELS = { list: "Requests", rules: "Rules", data: "Data" };

const LOST = "Connection lost. Trying again…";

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
  /** Why parts of the store could not be read. */
  faults: {},
  /** Why the last action failed, by the place of its button. */
  failed: {},
  /** The rule in the form, and why its members were refused. */
  draft: {},
  refusals: {},
  /** How many items of a list are shown, if that was changed. */
  opened: {},
  panel: "list",
  log: new RequestLog(),
  filter: { operationId: "", status: "" },
  isPaused: false,
  draw,
  say,
  act,
  change,
  addRule,
  confirmed,
  isInUse,
  readOperations,
  /** On the page that names no store: the sandboxes that this browser made, and what the service wants for a new one. */
  made: [],
  needsKey: false,
  makeNew,
  forget,
  get isPhone() {
    return PHONE.matches;
  },
  /** Whether a part of the page is hidden on a phone. The open request and the examples are in the first tab. */
  hides(part) {
    if (!PHONE.matches) return false;
    const isBehind = page.isOpen && (part === "list" || part === "use");
    return isBehind || page.panel !== (part in PANELS ? part : "list");
  },
  get isOpen() {
    return Boolean(page.log.find(openId));
  },
  /** Where to go from a deleted store. The package has no other stores. */
  get elsewhere() {
    return expires(page.about) ? "/stores/" : "/docs/";
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
    const view = store === undefined ? newView(page) : deskView();
    const focused = document.activeElement;
    render(view, element("page"));
    const isClosed = lastId && !openId;
    // The focused element may be gone, or hidden behind the open request on small screens.
    if (!focused.checkVisibility() || (isClosed && focused.closest("#entry"))) {
      const row = isClosed && document.querySelector(`#requests [href="#${lastId}"]`);
      (row || element("entry-title") || element("title"))?.focus();
    }
    lastId = openId;
  });
}

function deskView() {
  const shown = page.log.find(openId) ?? (WIDE.matches ? newest() : undefined);
  return html`
    ${headView(page)}
    <div class="desk wide stack ${page.isOpen ? "is-open" : ""}" ?hidden=${isDocumentation()}>
      ${page.isPhone ? tabList("Parts of the store", PANELS, page.panel, showPanel) : nothing}
      ${listView(page, shown)}
      <div class="beside stack">${shown ? entryView(page, shown) : nothing} ${useView(page)}</div>
      ${rulesPanel(page)} ${dataPanel(page)}
    </div>
  `;
}

let newestId;

/** The newest request, or the last one that was shown as such while it is in use. */
function newest() {
  if (!isInUse("entry")) newestId = page.log.shown[0]?.id;
  return page.log.find(newestId);
}

function showPanel(id) {
  page.panel = id;
  draw();
}

let silence;

/** Says what was done, until the next one or for a while. */
function say(text) {
  element("done").textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => (element("done").textContent = ""), NOTICE_MS);
}

/** Runs the work of a button. Says `done`, or shows the error at a place. @returns the error, if any */
async function act(place, done, work) {
  let failure;
  try {
    await work();
  } catch (error) {
    failure = error;
  }
  say(failure ? "" : done);
  page.failed = failure ? { [place]: `That did not work: ${failure.message}.` } : {};
  draw();
  return failure;
}

/** Like `act`, for work that changes the store. */
async function change(place, done, work) {
  const failure = await act(place, done, work);
  await refresh(true);
  return failure;
}

/** Makes a sandbox and goes there. The service may want its API key, or make none. */
async function makeNew(event) {
  event.preventDefault();
  const { key } = event.target.elements;
  const error = await act("new", "The sandbox is made.", async () => {
    const name = await makeStore(key?.value);
    event.target.reset();
    location.assign(`${pathOf(name)}/`);
  });
  if (error?.status === 401 && !page.needsKey) {
    page.needsKey = true;
    page.failed = {};
  }
  draw();
  await new Promise(requestAnimationFrame);
  if (page.needsKey) document.querySelector("[name=key]")?.focus();
}

/** Shows the sandboxes that this browser made, and what has become of them. */
async function showMade() {
  page.made = storesMade().map((name) => ({ name, state: "" }));
  draw();
  for (const each of page.made) {
    try {
      const about = await describe(each.name);
      each.state = about ? `until ${moment.format(new Date(about.expiresAt))}` : "deleted";
    } catch {
      // Nobody asked for the state.
    }
    draw();
  }
}

function forget(name) {
  forgetStore(name);
  page.made = page.made.filter((each) => each.name !== name);
  say("The name is forgotten.");
  draw();
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
async function addRule(place, rule, done) {
  return change(place, done, async () => {
    const rules = page.about ? await read(`${page.path}/faults`) : [];
    await send("PUT", `${page.path}/faults`, [rule, ...rules]);
  });
}

async function readOperations() {
  if (page.operations.length > 0) return;
  await readPart("operations", async () => {
    const { paths } = await read(`${page.path}/v2/openapi.json`);
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    return operations.flatMap(({ operationId }) => operationId ?? []);
  });
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
      if (await refresh()) page.faults.log = LOST;
      draw();
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Where the pointer is. `:hover` may stay on an element that has moved away. */
let pointed = null;
addEventListener("pointerover", ({ target }) => (pointed = target));
addEventListener("pointerout", ({ relatedTarget }) => (pointed = relatedTarget));

/** Whether the pointer or the keyboard is in a part of the page: then it must not move. */
function isInUse(id) {
  const part = element(id);
  return Boolean(part?.contains(pointed) || part?.matches(":has(:focus-visible)"));
}

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
  element("new").hidden = Boolean(page.about) && !expires(page.about);
  if (page.about === null) {
    Object.assign(page, { content: undefined, rules: [] });
    for (const part of ["content", "rules", "log"]) delete page.faults[part];
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
    // A `TypeError` means that there was no answer.
    const isLost = error instanceof TypeError;
    page.faults[part] = isLost ? LOST : `This could not be read: ${error.message}.`;
    return false;
  }
}

/** The id of the open request, if any. */
let openId;
let explorer;

const isDocumentation = () => location.hash.startsWith("#/");

/** Shows what the URL's fragment names: `#/…` the documentation, `#12` a request, `#rule-1` a rule. */
async function route() {
  draw();
  element("documentation").hidden = !isDocumentation();
  element("to-store").ariaCurrent = isDocumentation() ? null : "page";
  element("to-documentation").ariaCurrent = isDocumentation() ? "page" : null;
  if (isDocumentation()) {
    explorer ??= import("../../docs/explorer.js").then(({ showOperations }) =>
      showOperations(element("documentation"), page.path),
    );
    return;
  }
  const isRule = location.hash.startsWith("#rule-");
  if (!isRule) openId = Number(location.hash.slice(1));
  if (isRule) page.panel = "rules";
  else if (openId) page.panel = "list";
  page.failed = {};
  await new Promise(requestAnimationFrame);
  const target = element(isRule ? location.hash.slice(1) : "entry-title");
  if (isRule) target?.focus();
  else if (openId) target?.scrollIntoView({ block: "nearest" });
}

/** Escape closes the open request. */
function onKey({ key, defaultPrevented }) {
  if (key === "Escape" && page.isOpen && !defaultPrevented && !element("question").open) {
    location.hash = "#list";
  }
}

for (const button of element("question").querySelectorAll("button")) {
  button.addEventListener("click", () => element("question").close(button.value));
}
if (store === undefined) {
  void showMade();
} else {
  element("to-store").hidden = false;
  element("to-documentation").href = "#/";
  for (const size of [PHONE, WIDE]) size.addEventListener("change", draw);
  addEventListener("keydown", onKey);
  document.title = `${store} · Pet Store Service`;
  addEventListener("hashchange", route);
  void route();
  void follow();
}
