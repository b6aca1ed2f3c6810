import { send } from "../../docs/sandbox.js";
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { deedsOf } from "./explain.js";
import { MOST, matches } from "./log.js";
import { cut, fault, panel } from "./parts.js";

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
  const rows = log.groups.flatMap((group) => {
    const shown = group.filter(matches(filter));
    return shown.map((entry) => rowOf(entry, { group, shown, open, first: log.shown[0] }));
  });
  const [first, more] = cut(page, "requests", rows, page.isPhone ? MOST_ON_PHONE : MOST);
  const codes = log.shown.map(({ status }) => String(status));
  const release = () => {
    log.release();
    page.draw();
  };
  /** The list may move again when the pointer and the focus have left it. */
  const letGo = ({ currentTarget }) => {
    setTimeout(() => {
      if (!page.isPaused && !currentTarget.matches(":hover, :focus-within")) release();
    });
  };
  const pause = () => {
    page.isPaused = !page.isPaused;
    release();
  };
  const buttons = html`
    <button type="button" class="news" ?hidden=${log.waiting.length === 0} @click=${release}>
      ${log.waiting.length} new
    </button>
    <button type="button" class="small" @click=${pause}>
      ${page.isPaused ? "Resume" : "Pause"}
    </button>
    <button type="button" class="small" @click=${() => clear(page)}>Clear</button>
  `;
  const content = html`
    <div class="filters">
      ${choice(page, "operationId", "Operation", log.operations)}
      ${choice(page, "status", "Status", [...STATUSES, ...codes])}
    </div>
    <div class="foot">
      <span>${countOf(rows.length, log.shown.length)}</span>
      ${[
        ["har", "HAR"],
        ["curl", "curl"],
        ["test", "Test"],
      ].map(([format, name]) => {
        const query = new URLSearchParams({ format, ...given(filter) });
        return html`<a href="${page.path}/requests?${query}" download>${name}</a>`;
      })}
    </div>
    ${fault(page.faults.log)} ${fault(page.failed.list)}
    <ol id="requests" @keydown=${browse} @pointerleave=${letGo} @focusout=${letGo}>
      ${first}
    </ol>
    ${more}
    <p class="note" ?hidden=${log.shown.length < MOST}>
      The last ${MOST} requests; older ones are dropped.
    </p>
    <p class="none" ?hidden=${rows.length > 0}>
      ${
        log.shown.length > 0
          ? "No request matches the filter."
          : "No requests yet. Each appears here after its answer."
      }
    </p>
  `;
  return panel(page, "list", "Requests", buttons, content);
}

const given = (filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value));

const countOf = (rows, all) => (rows === all ? "Download" : `Download ${rows} of ${all}`);

const choice = ({ filter, draw }, key, name, values) => html`
  <select
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

/** @param group all attempts with its key @param shown those that match the filter */
function rowOf(entry, { group, shown, open, first }) {
  const { id, at, method, path, query, status, ms, operationId, errors = [], rule } = entry;
  const whole = query ? `${path}?${decoded(query)}` : path;
  const marks = deedsOf(entry).map(([mark]) => mark);
  if (rule && marks.length === 0) marks.push("by a rule");
  const isTabbed = (open ?? first) === entry;
  const ends = [entry === shown[0] ? "newest" : "", entry === shown.at(-1) ? "oldest" : ""];
  return html`
    <li class=${group.length > 1 ? `attempt ${ends.join(" ")}` : ""}>
      <a
        href="#${id}"
        class="row"
        tabindex=${isTabbed ? 0 : -1}
        aria-current=${entry === open ? "true" : nothing}
      >
        <span class="status ${lookOf(entry)}">${status}</span>
        <span class="method ${method}">${method}</span>
        <span class="path" title=${whole}
          ><bdi>${path}<i>${whole.slice(path.length)}</i></bdi></span
        >
        <span class="ms">${ms} ms</span>
        <span class="what">
          ${operationId ?? "no operation"} ${attemptOf(entry, group)}
          ${marks.map((mark) => html`<b class="mark">${mark}</b>`)}
          ${errors.map((error) => html`<b class="mark field">${error.path}</b>`)}
        </span>
        <time datetime=${new Date(at).toISOString()}>${clock.format(at)}</time>
      </a>
    </li>
  `;
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
