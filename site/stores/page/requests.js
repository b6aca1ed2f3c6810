import { send } from "../../docs/sandbox.js";
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { matches } from "./log.js";

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

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
  return html`
    <section class="panel list" aria-labelledby="log-title">
      <div class="head">
        <h2 id="log-title">Requests</h2>
        <button type="button" class="news" ?hidden=${log.waiting.length === 0} @click=${release}>
          ${log.waiting.length} new
        </button>
        <button type="button" class="small" aria-pressed=${page.isPaused} @click=${pause}>
          Pause
        </button>
        <button type="button" class="small" @click=${() => clear(page)}>Clear</button>
      </div>
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
      ${page.faults.log ? html`<p class="fault">${page.faults.log}</p>` : nothing}
      <ol id="requests" @keydown=${browse} @pointerleave=${letGo} @focusout=${letGo}>
        ${rows}
      </ol>
      <p class="none" ?hidden=${rows.length > 0}>
        ${
          log.shown.length > 0
            ? "No request matches the filter."
            : "No requests yet. Each appears here after its answer."
        }
      </p>
    </section>
  `;
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
  const { id, at, method, path, query, status, ms, operationId, errors = [], rule, broken } = entry;
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
        <span class="path" title=${path}>${path}<i>${query ? `?${query}` : ""}</i></span>
        <span class="ms">${ms} ms</span>
        <span class="what">
          ${operationId ?? "no operation"} ${attemptOf(entry, group)}
          ${rule ? html`<b class="mark">by a rule</b>` : nothing}
          ${broken ? html`<b class="mark">cut off</b>` : nothing}
          ${errors.map((error) => html`<b class="mark field">${error.path}</b>`)}
        </span>
        <time datetime=${new Date(at).toISOString()}>${clock.format(at)}</time>
      </a>
    </li>
  `;
}

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

async function clear({ confirmed, act, log, path }) {
  if (!(await confirmed("Clear the list?", "This deletes the recorded requests.", "Clear"))) return;
  await act("The list is empty.", async () => {
    await send("DELETE", `${path}/requests`);
    log.show([]);
  });
}
