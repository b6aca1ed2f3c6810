import { readText, send } from "../../docs/sandbox.js";
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { copy } from "./copy.js";
import { deedsOf } from "./explain.js";
import { fault, sentence } from "./parts.js";
import { lookOf } from "./requests.js";
import { placeOf } from "./rules.js";

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** A request with its answer. Unless the user opened it, it is the newest. */
export function entryView(page, entry) {
  const { id, at, method, path, query, status, ms, operationId, errors = [] } = entry;
  const isFull = entry.requestHeaders !== undefined;
  return html`
    <section
      class="panel entry"
      id="entry"
      aria-labelledby="entry-title"
      ?hidden=${page.hides("entry")}
    >
      <div class="title line">
        <h2 id="entry-title" tabindex="-1">
          <span class="status ${lookOf(entry)}">${status}</span>
          <span class="method ${method.toLowerCase()}">${method}</span>
          <bdi class="mono">${path}</bdi>
        </h2>
        ${page.isOpen ? html`<a class="small" href="#list">Close</a>` : html`<span class="quiet">newest</span>`}
      </div>
      <p class="quiet">${operationId ?? "no operation"} · ${moment.format(at)} · ${ms} ms</p>
      <div class="line">
        <button
          type="button"
          class="button"
          @click=${() => copy(page, "entry", "The request", curlOf(page, id))}
        >
          Copy as curl
        </button>
        ${
          operationId
            ? html`<button type="button" class="button" @click=${() => failNext(page, operationId)}>
                Answer this with 503 next time
              </button>`
            : nothing
        }
      </div>
      ${fault(page.failed.entry)} ${attempts(page, entry)} ${doneTo(page, entry)}
      ${
        errors.length > 0
          ? html`<div class="note refused">
              <h3>What was wrong</h3>
              <ul>
                ${errors.map((error) => html`<li><code>${error.path}</code> ${error.message}</li>`)}
              </ul>
            </div>`
          : nothing
      }
      ${
        isFull
          ? html`<div class="columns">
              ${side("Sent", entry.requestHeaders, entry.requestBody, query)}
              ${side("Answered", entry.responseHeaders, entry.responseBody)}
            </div>`
          : html`<div class="note">
              <p>The store did not record headers and bodies of this request.</p>
              <button type="button" class="button" @click=${() => recordInFull(page)}>
                Record the next requests in full
              </button>
            </div>`
      }
    </section>
  `;
}

/** What was done to the answer, and who asked for it. */
function doneTo({ rules = [] }, entry) {
  const deeds = deedsOf(entry);
  if (!entry.rule && deeds.length === 0) return nothing;
  const number = entry.rule && placeOf(entry.rule, rules) + 1;
  const who = number ? html`<a href="#rule-${number}">Rule ${number}</a>:` : "A rule that is gone:";
  return html`<div class="note" id="done-to">
    <p>${deeds.map(([, words]) => words).join(" ") || "A rule applied, but changed nothing."}</p>
    <p>
      ${entry.rule ? html`${who} ${sentence(entry.rule)}` : "The request asked for it in Prefer."}
    </p>
  </div>`;
}

/** The attempts with the same idempotency key, oldest first. */
function attempts({ log }, entry) {
  const group = log.groupOf(entry);
  if (group.length < 2) return nothing;
  return html`<p class="note line attempts">
    ${group.length} attempts with the same key:
    ${group
      .toReversed()
      .map(
        (attempt) =>
          html`<a href="#${attempt.id}" aria-current=${attempt === entry ? "true" : nothing}
            ><span class="status ${lookOf(attempt)}">${attempt.status}</span></a
          >`,
      )}
  </p>`;
}

const side = (title, headers, body, query) => html`
  <div class="stack">
    <h3>${title}</h3>
    ${query ? table("Query", [...new URLSearchParams(query)]) : nothing} ${bodyView(body)}
    ${table("Headers", Object.entries(headers ?? {}))}
  </div>
`;

const table = (name, rows) => html`
  <details open>
    <summary>${name} <span class="quiet">${rows.length}</span></summary>
    <dl class="pairs quiet">
      ${rows.map(
        ([key, value]) =>
          html`<div>
            <dt>${key}</dt>
            <dd><bdi>${value}</bdi></dd>
          </div>`,
      )}
    </dl>
  </details>
`;

function bodyView(body) {
  if (!body) return html`<p class="quiet">No body</p>`;
  if (typeof body === "string") return html`<pre>${laidOut(body)}</pre>`;
  const { text, bytes, type } = body;
  const size = `${bytes.toLocaleString("en")} bytes`;
  if (text === undefined) return html`<p class="quiet">${size} of ${type.split(";")[0]}</p>`;
  return html`<pre>${text}</pre>
    <p class="quiet">Only this beginning of ${size} is recorded.</p>`;
}

/** Indented JSON in colours. It works on the text, because a parser would round long numbers. */
function laidOut(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let line = "\n";
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+|[{}[\],:]/g);
  return tokens.map((token, at) => {
    const isEmpty = /^(?:\{\}|\[\])$/;
    if (token === ",") return token + line;
    if (token === ":") return ": ";
    if (token === "{" || token === "[") {
      if (isEmpty.test(token + tokens[at + 1])) return token;
      line += "  ";
      return token + line;
    }
    if (token === "}" || token === "]") {
      if (isEmpty.test(tokens[at - 1] + token)) return token;
      line = line.slice(0, -2);
      return line + token;
    }
    const look = tokens[at + 1] === ":" ? "key" : token.startsWith('"') ? "text" : "value";
    return html`<span class=${look}>${token}</span>`;
  });
}

/** The request as a command. */
const curlOf = ({ path }, id) => readText(`${path}/requests?format=curl&id=${id}`);

const failNext = ({ addRule }, operationId) =>
  addRule(
    "entry",
    { operationId, status: 503, times: 1 },
    `The next ${operationId} is answered with 503.`,
  );

const recordInFull = ({ change, path }) =>
  change("entry", "The next requests are recorded in full.", async () =>
    send("PUT", `${path}/requests`, { record: "full" }),
  );
