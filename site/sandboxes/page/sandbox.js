// The page of a sandbox: its state, how it is kept up to date, and its parts.
import { html, nothing, render } from "../../docs/vendor/lit-html.js";
import { base, read, send } from "./api.js";
import { dataPanel, factsView } from "./data.js";
import { detailsPanel } from "./details.js";
import { fault } from "./parts.js";
import { requestsPanel } from "./requests.js";
import { rulesPanel } from "./rules.js";

/** The sandbox keeps no more requests. */
const MOST_REQUESTS = 200;

/** How often to read the sandbox: other clients may change it outside the interfaces. */
const REFRESH_MS = 10_000;

/** The least time between a request and the next reading of the sandbox. */
const PAUSE_MS = 500;

/** How long to wait before connecting again. */
const RETRY_MS = 3000;

/** How long a notice is shown. */
const NOTICE_MS = 6000;

const element = (id) => document.getElementById(id);

/** The state of the page, and the functions that its parts call. */
const page = {
  name: base.split("/").at(-1),
  /** `null` if there is no such sandbox. */
  about: undefined,
  data: undefined,
  access: undefined,
  rules: undefined,
  /** Newest first. While the list is in use, new requests wait beside it. */
  requests: [],
  waiting: [],
  /** 0 if none is open. */
  openId: 0,
  filter: { operationId: "", status: "" },
  /** The operations of the interfaces, read when the form for rules is opened. */
  operations: [],
  /** The rule in the form, and why its members were refused. */
  draft: {},
  refusals: {},
  /** Why the last action failed, by the panel of its button. */
  failed: {},
  /** Why the sandbox could not be read. */
  lost: undefined,
  act,
  draw,
  release,
};

let isDue = false;

/** Draws the page once a frame, however often it is called. */
function draw() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    render(view(), element("page"));
  });
}

const view = () => html`
  <div class="head">
    <h1 class="mono" id="title" tabindex="-1">${page.name}</h1>
    ${page.about ? factsView(page) : nothing}
  </div>
  ${fault(page.lost)} ${page.about === null ? missingView() : nothing}
  ${
    page.about
      ? html`<div class="desk">
          ${requestsPanel(page)} ${detailsPanel(page)} ${rulesPanel(page)} ${dataPanel(page)}
        </div>`
      : nothing
  }
`;

const missingView = () => html`
  <div class="stack text">
    <p>There is no sandbox of this name. It may have expired.</p>
    ${fault(page.failed.missing)}
    <div>
      <button
        type="button"
        class="button main"
        @click=${() => act("missing", "The sandbox is made.", () => send("PUT", "/data", { data: "classic" }))}
      >
        Make it
      </button>
    </div>
  </div>
`;

let silence;

/** Says what was done. */
function say(text) {
  element("done").textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => (element("done").textContent = ""), NOTICE_MS);
}

/**
 * Does the work of a button. Says `done`, or shows in a panel why it failed.
 * @returns the error, if there was one
 */
async function act(panel, done, work) {
  try {
    await work();
  } catch (error) {
    page.failed = { [panel]: error.message };
    draw();
    return error;
  }
  page.failed = {};
  say(done);
  await refresh(true);
  return undefined;
}

let reading = Promise.resolve();

/** Reads the sandbox after the reading in progress, whose answers must not replace newer ones. */
function refresh(withData = false) {
  reading = reading.then(() => readSandbox(withData));
  return reading;
}

async function readSandbox(withData) {
  try {
    const about = await read("");
    const [rules, { access }] = await Promise.all([read("/faults"), read("/access")]);
    if (withData) page.data = await read("/data");
    Object.assign(page, { about, rules, access, lost: undefined });
  } catch (error) {
    if (error.status === 404) Object.assign(page, { about: null, requests: [], lost: undefined });
    // A `TypeError` means that there was no answer.
    else if (error instanceof TypeError) page.lost = "Connection lost. Trying again…";
    else page.lost = `The sandbox could not be read: ${error.message}`;
  }
  draw();
}

let timer;
let hasWrites = false;

/** Reads the sandbox soon after a request, but not after each of many. */
function refreshSoon({ method }) {
  hasWrites ||= method !== "GET" && method !== "HEAD";
  timer ??= setTimeout(async () => {
    const withData = hasWrites;
    hasWrites = false;
    await refresh(withData);
    timer = undefined;
    if (hasWrites) refreshSoon({});
  }, PAUSE_MS);
}

/** Whether the pointer or the keyboard is in the list of requests. */
const isListInUse = () => element("rows")?.matches(":hover, :has(:focus-visible)");

/** Shows the waiting requests. */
function release() {
  page.requests = [...page.waiting, ...page.requests].slice(0, MOST_REQUESTS);
  page.waiting = [];
  draw();
}

/** Receives requests until the connection ends. */
function watch() {
  const url = new URL(`${base}/requests`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url);
  socket.addEventListener("open", async () => {
    page.requests = await read(`/requests?limit=${MOST_REQUESTS}`);
    page.waiting = [];
    draw();
  });
  socket.addEventListener("message", ({ data }) => {
    const request = JSON.parse(data);
    refreshSoon(request);
    const isKnown = [...page.waiting, ...page.requests].some(({ id }) => id === request.id);
    if (isKnown) return;
    page.waiting = [request, ...page.waiting].slice(0, MOST_REQUESTS);
    if (isListInUse()) draw();
    else release();
  });
  return new Promise((resolve) => socket.addEventListener("close", resolve));
}

/** Keeps the page up to date, whether the sandbox exists or not. */
async function follow() {
  for (;;) {
    if (!document.hidden) {
      await refresh(true);
      if (page.about && !page.lost) await watch();
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Opens the request in the URL's fragment, such as `#12`, or closes it. A link to a rule leaves it open. */
function route() {
  if (location.hash.startsWith("#rule-")) return;
  const closedId = page.openId;
  page.openId = Number(location.hash.slice(1)) || 0;
  draw();
  // After the drawing.
  requestAnimationFrame(() => {
    if (page.openId) showDetails();
    else if (closedId) focusRow(closedId);
  });
}

/** Scrolls to the details, unless they are in view beside the list. */
function showDetails() {
  const title = element("details-title");
  if (title?.getBoundingClientRect().bottom > innerHeight) element("details").scrollIntoView();
}

/** Moves the focus, because the link that had it may be gone. */
function focusRow(id) {
  (document.querySelector(`#rows [href="#${id}"]`) ?? element("title")).focus();
}

addEventListener("hashchange", route);
addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && page.openId) location.hash = "#requests";
});
setInterval(() => {
  if (!document.hidden && page.about) void refresh();
}, REFRESH_MS);
document.title = `${page.name} · Pet Store Service`;
element("to-documentation").search = `?sandbox=${page.name}`;
route();
void follow();
