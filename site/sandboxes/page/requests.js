import { html, nothing } from "../../docs/vendor/lit-html.js";
import { base, send } from "./api.js";
import { fault, panel } from "./parts.js";

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** The CSS class of a status. */
export const toneOf = (status) => (status < 400 ? "good" : status < 500 ? "refused" : "failed");

/** The list of requests, with filters and downloads. */
export function requestsPanel(page) {
  const { requests, waiting, filter, failed } = page;
  const shown = requests.filter(matches(filter));
  const operations = requests.flatMap(({ operationId }) => operationId ?? []);
  const statuses = requests.map(({ status }) => String(status)).toSorted();
  const tools = html`
    <button type="button" class="button main" ?hidden=${waiting.length === 0} @click=${page.release}>
      Show ${waiting.length} new
    </button>
    ${choice(page, "operationId", "Any operation", operations)}
    ${choice(page, "status", "Any status", ["2xx", "4xx", "5xx", ...statuses])}
    <span class="line">
      <span class="quiet">Download</span>
      ${download("har", "HAR", page)} ${download("curl", "curl", page)}
      <button type="button" class="button" @click=${() => clear(page)}>Clear</button>
    </span>
  `;
  const content = html`
    ${fault(failed.requests)}
    <ol id="rows" @keydown=${browse} @pointerleave=${() => leave(page)} @focusout=${() => leave(page)}>
      ${shown.map((request, index) => row(request, index, shown, page.openId))}
    </ol>
    ${shown.length > 0 ? nothing : html`<p class="quiet">${emptyText(requests)}</p>`}
  `;
  return panel("requests", "Requests", tools, content);
}

const emptyText = (requests) =>
  requests.length > 0 ? "No request matches the filter." : "No requests yet. Each appears here after its answer.";

/** Whether a request matches a filter, whose status is like `503` or `5xx`. */
const matches = (filter) => (request) =>
  (!filter.operationId || request.operationId === filter.operationId) &&
  String(request.status).startsWith(filter.status.replace("xx", ""));

function choice({ filter, draw }, member, any, values) {
  const choose = ({ target }) => {
    filter[member] = target.value;
    draw();
  };
  const options = [...new Set([...values, filter[member]])].filter(Boolean);
  return html`
    <select class="field" aria-label=${any} @change=${choose}>
      <option value="">${any}</option>
      ${options.map((value) => html`<option ?selected=${value === filter[member]}>${value}</option>`)}
    </select>
  `;
}

/** A link to the requests that match the filter. */
function download(format, text, { filter, name }) {
  const query = new URLSearchParams({ format });
  for (const [member, value] of Object.entries(filter)) if (value) query.set(member, value);
  const file = `${name}.${format === "curl" ? "sh" : format}`;
  return html`<a href="${base}/requests?${query}" download=${file} aria-label="Download as ${text}">${text}</a>`;
}

function row(request, index, shown, openId) {
  const { id, at, ms, method, path, operationId, status, errors = [], rule } = request;
  const isOpen = id === openId;
  // The arrow keys move between rows, so only one of them is in the order of Tab.
  const isTabbed = isOpen || (index === 0 && shown.every((each) => each.id !== openId));
  return html`
    <li>
      <a class="row" href="#${id}" tabindex=${isTabbed ? 0 : -1} aria-current=${isOpen ? "true" : nothing}>
        <span class="status ${toneOf(status)}">${status}</span>
        <span class="method ${method.toLowerCase()}">${method}</span>
        <span class="path mono cut" title=${path}><bdi>${path}</bdi></span>
        <span class="what cut quiet">
          ${operationId ?? "no operation"} ${errors.map((error) => html`<b class="mark refused">${error.path}</b> `)}
          ${rule ? html`<b class="mark">rule</b>` : nothing}
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

/** The focus and the pointer have left the list once the event is over. */
function leave({ release, waiting }) {
  if (waiting.length > 0) setTimeout(() => release());
}

async function clear(page) {
  if (!confirm("Delete the recorded requests?")) return;
  await page.act("requests", "The requests are deleted.", async () => {
    await send("DELETE", "/requests");
    page.requests = [];
    page.waiting = [];
  });
}
