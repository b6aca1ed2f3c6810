// The list of requests with its filters; before the first request, how to send it.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { repeat } from "../../docs/vendor/directives/repeat.js";
import { send, url } from "./api.js";
import { anyOf, ask, button, copyButton, exactTime, fault, icon } from "./components.js";
import { iconButton, menu, panel, relativeTime, select } from "./components.js";

/** The CSS class and the words of a response. A status of 0 means that there was no response, or none yet. */
export function outcomeOf({ status, waiting }) {
  if (waiting) return ["waiting", "…"];
  if (status === 0) return ["failed", "none"];
  return [status < 400 ? "good" : status < 500 ? "rejected" : "failed", status];
}

/** The requests in the list. While somebody is reading it, new ones wait, so that no row moves away. */
let listed = [];

/** The open request that was made visible. */
let visibleId = 0;

const rowsElement = () => document.getElementById("rows");

/** Whether the list is paused, scrolled, or has the focus. */
const isHeld = (page) =>
  page.isPaused || rowsElement()?.scrollTop > 0 || rowsElement()?.contains(document.activeElement);

export function requestsPanel(page) {
  const { requests, failed } = page;
  const newest = listed[0]?.id ?? 0;
  // A request that waited for its response may have been completed.
  listed = isHeld(page) ? requests.filter(({ id }) => id <= newest) : requests;
  const title = html`Requests <span class="quiet">${requests.length}</span> ${liveView(page.live)}`;
  if (requests.length === 0) return panel("requests", title, nothing, firstView(page));
  const shown = listed.filter(matches(page.filter));
  // The arrow keys move between rows, so only one of them is in the tab order.
  const tabbedId = shown.some(({ id }) => id === page.openId) ? page.openId : shown[0]?.id;
  const content = html`
    ${filtersView(page)} ${fault(failed.requests)}
    <ol id="rows" @keydown=${browse} @scroll=${page.draw} @focusout=${page.draw}>
      ${repeat(
        shown,
        ({ id }) => id,
        (request) => row(request, request.id === page.openId, request.id === tabbedId),
      )}
    </ol>
    ${shown.length > 0 ? nothing : html`<p class="quiet">No request matches the filter.</p>`}
  `;
  return panel("requests", title, controlsView(page), content);
}

/** How requests arrive. */
const LIVE = {
  Live: "Requests arrive through a WebSocket.",
  Polling: "No WebSocket is open, so the page polls for requests.",
  Offline: "The service does not respond.",
};

const liveView = (live) =>
  live ? html`<span class="small ${live.toLowerCase()}" title=${LIVE[live]}>${live}</span>` : nothing;

function controlsView(page) {
  const { requests, isPaused, set } = page;
  const count = requests.length - listed.length;
  const show = () => {
    listed = requests;
    rowsElement().scrollTop = 0;
    set({});
  };
  const pause = (name, label) => iconButton(name, label, () => set({ isPaused: !isPaused }));
  return html`
    ${count > 0 ? button(`${count} new`, show, "", `Show ${count} new`) : nothing}
    ${isPaused ? pause("resume", "Resume") : pause("pause", "Pause")} ${iconButton("clear", "Clear", () => clear(page))}
  `;
}

const STATUSES = [...anyOf(["2xx", "3xx", "4xx", "5xx"]), ["0", "none"]];

function filtersView(page) {
  const operationIds = page.operations.map(({ operationId }) => operationId);
  const count = Object.entries(page.filter).filter(([name, value]) => value && name !== "path").length;
  const change = ({ currentTarget }) => page.set({ filter: Object.fromEntries(new FormData(currentTarget)) });
  const content = html`
    <label class="stack">Operation ${select(anyOf(operationIds), "", { name: "operationId" })}</label>
    <label class="stack">Status ${select(STATUSES, "", { name: "status" })}</label>
    <label class="line"><input type="checkbox" name="isChanged" /> Changed by a rule</label>
  `;
  const face = html`${icon("filter")} Filter ${count > 0 ? html`<b class="mark">${count}</b>` : nothing}`;
  return html`
    <form class="line" id="filters" autocomplete="off" @input=${change} @submit=${(event) => event.preventDefault()}>
      <input class="field" type="search" name="path" placeholder="Search by path" aria-label="Search by path" />
      ${menu("filter", face, "Filter", content)}
    </form>
  `;
}

/** Returns whether a request matches a filter, whose status is like `5xx`. No status selects a request that waits. */
const matches =
  ({ operationId = "", status = "", path = "", isChanged }) =>
  (request) =>
    (!operationId || request.operationId === operationId) &&
    (!status || (!request.waiting && String(request.status).startsWith(status.replace("xx", "")))) &&
    request.path.toLowerCase().includes(path.toLowerCase()) &&
    (!isChanged || request.rule !== undefined);

/** What to do first. */
function firstView(page) {
  const command = `curl ${url}${page.api}/pet \\
  -H 'Content-Type: application/json' \\
  -d '{"name":"Rex","photoUrls":["rex.jpg"],"status":"available"}'`;
  return html`
    <div class="stack">
      <h3>Waiting for your first request</h3>
      <p>Give your client the base URL above, or paste this into a terminal:</p>
      <pre>${command}</pre>
      <div>${copyButton(command, "the curl command", "Copy the command", "")}</div>
      <p class="quiet">Each request appears here after its response, with everything that was sent and received.</p>
    </div>
  `;
}

/** The share of the bar for a time, on a logarithmic scale up to the longest delay. */
const LONGEST_MS = 30_000;
const SLOW_MS = 1000;
const shareOf = (ms) => Math.round((100 * Math.log1p(ms)) / Math.log1p(LONGEST_MS));

function row(request, isOpen, isTabbed) {
  const { id, at, ms, method, path, operationId, errors = [], rule, waiting } = request;
  const [tone, words] = outcomeOf(request);
  return html`
    <li>
      <a class="row" href="#${id}" tabindex=${isTabbed ? 0 : -1} aria-current=${isOpen ? "true" : nothing}>
        <span class="status ${tone}">${words}</span>
        <span class="method">${method}</span>
        <span class="path mono cut" title=${path}><bdi>${path}</bdi></span>
        <time title=${exactTime(at)}>${relativeTime(at)}</time>
        <span class="what">
          <span class="cut">${operationId ?? "no operation"}</span>
          ${rule ? html`<b class="mark">rule</b>` : nothing}
          ${errors.length > 0 ? html`<b class="mark rejected cut">${errors[0].path}</b>` : nothing}
          ${errors.length > 1 ? html`<b class="mark rejected">+${errors.length - 1}</b>` : nothing}
        </span>
        <span class="took ${ms < SLOW_MS ? "" : "rejected"}">
          ${waiting ? "waiting" : html`<i class="bar" .style=${`--share: ${shareOf(ms)}%`}></i>${ms} ms`}
        </span>
      </a>
    </li>
  `;
}

/** The arrow keys move from row to row. While a request is open, they open the next one. */
function browse(event) {
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  const next = step && event.target.closest("li")?.[step]?.querySelector("a");
  if (!next) return;
  event.preventDefault();
  next.focus();
  if (document.querySelector("#rows [aria-current]")) location.replace(next.href);
}

/** Scrolls the list to a request that was opened, such as by its URL. A filter that hides it is removed first. */
export function showOpenRow(page) {
  const request = page.requests.find(({ id }) => id === page.openId);
  if (!request || visibleId === page.openId) return;
  const link = document.querySelector(`#rows [href="#${page.openId}"]`);
  if (link) {
    visibleId = page.openId;
    link.scrollIntoView({ block: "nearest" });
  } else {
    listed = page.requests;
    document.getElementById("filters").reset();
    page.set({ filter: {} });
  }
}

async function clear(page) {
  const count = page.requests.length;
  const text = html`<p>
    ${count === 1 ? "One logged request is" : `${count} logged requests are`} deleted. Data and rules stay.
  </p>`;
  if (!(await ask("Clear the request log?", text, "Clear", "danger"))) return;
  await page.act("requests", "The request log is cleared.", async () => {
    await send("DELETE", "/requests");
    page.requests = [];
  });
}
