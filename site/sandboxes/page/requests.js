import { html, nothing } from "../../docs/vendor/lit-html.js";
import { send, url } from "./api.js";
import { ask, copyButton } from "./ask.js";
import { anyOf, button, fault, panel, select } from "./parts.js";

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** The CSS class of a status. */
export const toneOf = (status) => (status < 400 ? "good" : status < 500 ? "refused" : "failed");

/** The requests in the list. While it is in use, new ones wait, so that no row moves away from the pointer. */
let listed = [];

/** The list of requests with its filters; before the first one, how to send it. */
export function requestsPanel(page) {
  const { requests, failed } = page;
  if (!document.querySelector("#rows:is(:hover, :has(:focus-visible))")) listed = requests;
  if (requests.length === 0) return panel("requests", "Requests", nothing, firstView());
  const shown = listed.filter(matches(page.filter));
  const content = html`
    ${fault(failed.requests)}
    <ol id="rows" @keydown=${browse} @pointerleave=${page.draw} @focusout=${page.draw}>
      ${shown.map((request, index) => row(request, index, shown, page.openId))}
    </ol>
    ${shown.length > 0 ? nothing : html`<p class="quiet">No request matches the filter.</p>`}
  `;
  return panel("requests", "Requests", filtersView(page), content);
}

function filtersView(page) {
  const operations = page.requests.flatMap(({ operationId }) => operationId ?? []);
  const waiting = page.requests.filter(({ id }) => id > (listed[0]?.id ?? 0)).length;
  const show = () => {
    listed = page.requests;
    page.draw();
  };
  return html`
    <div class="filters">
      ${waiting > 0 ? button(`Show ${waiting} new`, show, "main") : nothing}
      ${choice(page, "operationId", "Operation", operations)} ${choice(page, "status", "Status", ["2xx", "4xx", "5xx"])}
      ${button("Clear", () => clear(page))}
    </div>
  `;
}

/** What to do first. */
function firstView() {
  const command = `curl ${url}/v2/pet \\
  -H 'Content-Type: application/json' \\
  -d '{"name":"Rex","photoUrls":["rex.jpg"],"status":"available"}'`;
  return html`
    <div class="first stack">
      <h3>Waiting for your first request</h3>
      <p>Give your client one of the base URLs above, or paste this into a terminal:</p>
      <pre>${command}</pre>
      <div>${copyButton(command, "the curl command", "Copy the command", "main")}</div>
      <p class="quiet">Each request appears here after its answer, with all that was sent and received.</p>
    </div>
  `;
}

/** Whether a request matches a filter, whose status is like `503` or `5xx`. */
const matches = (filter) => (request) =>
  (!filter.operationId || request.operationId === filter.operationId) &&
  String(request.status).startsWith(filter.status.replace("xx", ""));

function choice({ filter, draw }, member, any, values) {
  const change = ({ target }) => {
    filter[member] = target.value;
    draw();
  };
  return select(anyOf(values, any), filter[member], { label: any, change });
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

async function clear(page) {
  const count = page.requests.length;
  const text = html`<p>
    The record of ${count === 1 ? "one request" : `${count} requests`} goes. Data and rules stay.
  </p>`;
  if (!(await ask("Clear the requests?", text, "Clear", "danger"))) return;
  await page.act("requests", "The requests are cleared.", async () => {
    await send("DELETE", "/requests");
    page.requests = [];
  });
}
