import { send } from "../../docs/sandbox.js";
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { deedsOf } from "./explain.js";
import { MOST, matches } from "./log.js";
import { cut, fault, loading, panel } from "./parts.js";
import { placeOf } from "./rules.js";

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** The most rows on a phone, before the button for more. */
const MOST_ON_PHONE = 25;

const STATUSES = ["2xx", "4xx", "5xx"];

/** The CSS class of an answer's status. */
export const lookOf = ({ status, broken }) =>
  broken || status >= 500 ? "failed" : status < 400 ? "good" : "refused";

/** The list of requests, with its filters, buttons and downloads. */
export function listView(page, open) {
  const { log, filter } = page;
  const rows = rowsOf(page, open);
  const [first, more] = cut(page, "requests", rows, page.isPhone ? MOST_ON_PHONE : MOST);
  const codes = log.shown.map(({ status }) => String(status));
  const release = () => {
    log.release();
    page.draw();
  };
  /** The list may move again when the pointer and the focus have left it. */
  const letGo = () => {
    setTimeout(() => {
      if (!page.isPaused && !page.isInUse("requests")) release();
    });
  };
  const pause = () => {
    page.isPaused = !page.isPaused;
    release();
  };
  const tools = html`
    <button type="button" class="button main" ?hidden=${log.waiting.length === 0} @click=${release}>
      ${log.waiting.length} new
    </button>
    <button type="button" class="small" @click=${pause}>
      ${page.isPaused ? "Resume" : "Pause"}
    </button>
    <button type="button" class="small" @click=${() => clear(page)}>Clear</button>
    ${choice(page, "operationId", "Operation", log.operations)}
    ${choice(page, "status", "Status", [...STATUSES, ...codes])}
    <span class="line quiet">
      ${countOf(rows.length, log.shown.length)}
      ${[
        ["har", "HAR"],
        ["curl", "curl"],
        ["test", "Test"],
      ].map(([format, name]) => {
        const query = new URLSearchParams({ format, ...given(filter) });
        return html`<a href="${page.path}/requests?${query}" download>${name}</a>`;
      })}
    </span>
  `;
  const content = html`
    ${fault(page.faults.log)} ${fault(page.failed.list)}
    <ol id="requests" class="requests" @keydown=${browse} @pointerleave=${letGo} @focusout=${letGo}>
      ${first}
    </ol>
    ${more}
    <p class="quiet" ?hidden=${log.shown.length < MOST}>
      The last ${MOST} requests; older ones are dropped.
    </p>
    ${rows.length > 0 ? nothing : emptyView(page)}
  `;
  return panel(page, "list", "Requests", tools, content);
}

/** What the list says while it has no rows. */
function emptyView({ log, faults }) {
  if (!log.isRead) return faults.about ? nothing : loading("The requests are");
  return html`<p class="quiet">
    ${
      log.isEmpty
        ? "No requests yet. Each appears here after its answer."
        : "No request matches the filter."
    }
  </p>`;
}

/** The rows of the requests that match the filter. @param open the request that is shown beside the list */
export const rowsOf = ({ log, filter, rules = [] }, open) =>
  log.groups.flatMap((group) => {
    const matching = group.filter(matches(filter));
    return matching.map((entry) => rowOf(entry, { group, open, first: log.shown[0], rules }));
  });

const given = (filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value));

const countOf = (rows, all) => (rows === all ? "Download" : `Download ${rows} of ${all}`);

const choice = ({ filter, draw }, key, name, values) => html`
  <select
    class="field"
    aria-label=${name}
    @change=${({ target }) => {
      filter[key] = target.value;
      draw();
    }}
  >
    <option value="">Any ${name.toLowerCase()}</option>
    ${[...new Set([...values, filter[key]])]
      .filter(Boolean)
      .map((value) => html`<option ?selected=${filter[key] === value}>${value}</option>`)}
  </select>
`;

/** @param group all attempts with its key @param first the newest request */
function rowOf(entry, { group, open, first, rules }) {
  const { id, at, method, path, query, status, ms, operationId, errors = [] } = entry;
  const whole = query ? `${path}?${decoded(query)}` : path;
  const isTabbed = (open ?? first) === entry;
  return html`
    <li class="row ${group.length > 1 ? "attempt" : ""}">
      <a
        href="#${id}"
        tabindex=${isTabbed ? 0 : -1}
        aria-current=${entry === open ? "true" : nothing}
      >
        <span class="status ${lookOf(entry)}">${status}</span>
        <span class="method ${method.toLowerCase()}">${method}</span>
        <span class="path mono cut" title=${whole}
          ><bdi>${path}<span class="quiet">${whole.slice(path.length)}</span></bdi></span
        >
        <span class="what cut quiet">
          ${operationId ?? "no operation"} ${attemptOf(entry, group)}
          ${errors.map((error) => html`<b class="mark refused">${error.path}</b> `)}
        </span>
        <span class="ms quiet">${ms} ms</span>
        <time class="quiet" datetime=${new Date(at).toISOString()}>${clock.format(at)}</time>
      </a>
      ${doneBy(entry, rules)}
    </li>
  `;
}

/** Who changed the answer, and how, with a link to the rule. */
function doneBy(entry, rules) {
  const deeds = deedsOf(entry).map(([mark]) => mark);
  if (!entry.rule) return deeds.length > 0 ? html`<b class="mark">Prefer: ${deeds}</b>` : nothing;
  const number = placeOf(entry.rule, rules) + 1;
  const text = [number ? `rule ${number}` : "a past rule", deeds.join(", ")]
    .filter(Boolean)
    .join(": ");
  return number
    ? html`<a class="mark" href="#rule-${number}" tabindex="-1">${text}</a>`
    : html`<b class="mark">${text}</b>`;
}

/** A query, decoded like the path. */
const decoded = (query) =>
  [...new URLSearchParams(query)]
    .map(([key, value]) => (value ? `${key}=${value}` : key))
    .join("&");

/** The number of the attempt, if there are several. */
function attemptOf(entry, group) {
  if (group.length < 2) return nothing;
  return html`<b class="mark"
    >attempt ${group.length - group.indexOf(entry)} of ${group.length}</b
  >`;
}

/** The arrow keys move from request to request. If a request is open, they open the next one. */
function browse(event) {
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  const next = step && event.target.closest("li")?.[step]?.querySelector("a");
  if (!next) return;
  event.preventDefault();
  next.focus();
  if (document.querySelector("#entry")) location.replace(next.href);
}

async function clear({ confirmed, change, log, path }) {
  if (!(await confirmed("Clear the list?", "This deletes the recorded requests.", "Clear"))) return;
  await change("list", "The list is empty.", async () => {
    await send("DELETE", `${path}/requests`);
    log.show([]);
  });
}
