import { html, nothing } from "../../docs/vendor/lit-html.js";
import { repeat } from "../../docs/vendor/directives/repeat.js";
import { send, url } from "./api.js";
import { ask, copyButton } from "./ask.js";
import { anyOf, button, fault, panel, select } from "./parts.js";

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** The CSS class of a status. 0 means that there was no response. */
export const toneOf = (status) =>
  status === 0 ? "failed" : status < 400 ? "good" : status < 500 ? "rejected" : "failed";

/** The words for a status. */
export const statusOf = (status) => (status === 0 ? "none" : status);

/** The requests in the list. While somebody is reading it, new ones wait, so that no row moves away. */
let listed = [];

/** Whether the list is paused, scrolled, or has the focus. */
const isHeld = (page) => page.isPaused || Boolean(document.querySelector("#rows:focus-within")) || isScrolled();
const isScrolled = () => (document.getElementById("rows")?.scrollTop ?? 0) > 0;

/** The list of requests with its filters; before the first request, how to send it. */
export function requestsPanel(page) {
  const { requests, failed } = page;
  if (requests.length === 0 || !isHeld(page)) listed = requests;
  const title = html`Requests <span class="quiet">${requests.length}</span> ${liveView(page.live)}`;
  if (requests.length === 0) return panel("requests", title, nothing, firstView(page));
  const shown = listed.filter(matches(page.filter));
  const content = html`
    ${fault(failed.requests)}
    <ol id="rows" @keydown=${browse} @scroll=${page.draw} @focusout=${page.draw}>
      <li class="heads quiet" aria-hidden="true">
        <span>Status</span><span>Method</span><span>Path</span><span>Operation</span><span>Took</span><span>At</span>
      </li>
      ${repeat(
        shown,
        ({ id }) => id,
        (request, index) => row(request, index, shown, page.openId),
      )}
    </ol>
    ${shown.length > 0 ? nothing : html`<p class="quiet">No request matches the filter.</p>`}
  `;
  return panel("requests", title, filtersView(page), content);
}

/** How requests arrive, with a tone. */
const LIVE = {
  Live: ["good", "Requests arrive through a WebSocket."],
  Polling: ["polling rejected", "No WebSocket is open, so the page polls for requests."],
  Offline: ["failed", "The service does not respond."],
};

function liveView(live) {
  const [tone, hint] = LIVE[live] ?? [];
  return live ? html`<span class="live ${tone}" title=${hint}>${live}</span>` : nothing;
}

function filtersView(page) {
  const { filter, requests, isPaused, draw } = page;
  const operations = requests.flatMap(({ operationId }) => operationId ?? []);
  const waiting = requests.filter(({ id }) => id > (listed[0]?.id ?? 0)).length;
  const show = () => {
    listed = requests;
    document.getElementById("rows").scrollTop = 0;
    draw();
  };
  const change = (name, value) => {
    filter[name] = value;
    draw();
  };
  const pause = () => {
    page.isPaused = !isPaused;
    draw();
  };
  return html`
    <div class="filters">
      ${waiting > 0 ? button(`${waiting} new`, show, "main", `Show ${waiting} new`) : nothing}
      <input
        class="field"
        type="search"
        placeholder="Search by path"
        aria-label="Search by path"
        .value=${filter.path}
        @input=${({ target }) => change("path", target.value)}
      />
      ${button(isPaused ? "Resume" : "Pause", pause)} ${button("Clear", () => clear(page))}
      ${choice("Operation", anyOf(operations, "Operation"), filter.operationId, (value) => change("operationId", value))}
      ${choice("Status", STATUSES, filter.status, (value) => change("status", value))}
      <label class="line fixed">
        <input
          type="checkbox"
          .checked=${filter.isFaulted}
          @change=${({ target }) => change("isFaulted", target.checked)}
        />
        Faulted
      </label>
    </div>
  `;
}

const choice = (label, options, chosen, choose) =>
  select(options, chosen, { label, change: ({ target }) => choose(target.value) });

const STATUSES = [...anyOf(["2xx", "3xx", "4xx", "5xx"], "Status"), ["0", "none"]];

/** What to do first. */
function firstView(page) {
  const command = `curl ${url}${page.api}/pet \\
  -H 'Content-Type: application/json' \\
  -d '{"name":"Rex","photoUrls":["rex.jpg"],"status":"available"}'`;
  return html`
    <div class="first stack">
      <h3>Waiting for your first request</h3>
      <p>Give your client the base URL above, or paste this into a terminal:</p>
      <pre>${command}</pre>
      <div>${copyButton(command, "the curl command", "Copy the command", "main")}</div>
      <p class="quiet">Each request appears here after its response, with everything that was sent and received.</p>
    </div>
  `;
}

/** Returns whether a request matches a filter, whose status is like `5xx`. */
const matches = (filter) => (request) =>
  (!filter.operationId || request.operationId === filter.operationId) &&
  String(request.status).startsWith(filter.status.replace("xx", "")) &&
  request.path.toLowerCase().includes(filter.path.toLowerCase()) &&
  (!filter.isFaulted || request.rule !== undefined);

function row(request, index, shown, openId) {
  const { id, at, ms, method, path, operationId, status, errors = [], rule } = request;
  const isOpen = id === openId;
  // The arrow keys move between rows, so only one of them is in the tab order.
  const isTabbed = isOpen || (index === 0 && shown.every((each) => each.id !== openId));
  return html`
    <li>
      <a class="row" href="#${id}" tabindex=${isTabbed ? 0 : -1} aria-current=${isOpen ? "true" : nothing}>
        <span class="status ${toneOf(status)}">${statusOf(status)}</span>
        <span class="method ${method.toLowerCase()}">${method}</span>
        <span class="path mono cut" title=${path}><bdi>${path}</bdi></span>
        <span class="what quiet">
          <span class="cut">${operationId ?? "no operation"}</span>
          ${rule ? html`<b class="mark">rule</b>` : nothing}
          ${errors.length > 0 ? html`<b class="mark rejected cut">${errors[0].path}</b>` : nothing}
          ${errors.length > 1 ? html`<b class="mark rejected">+${errors.length - 1}</b>` : nothing}
        </span>
        <span class="ms quiet">${ms} ms</span>
        <time class="quiet" datetime=${new Date(at).toISOString()}>${clock.format(at)}</time>
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
