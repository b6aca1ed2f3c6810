// The open request with its response: beside the list, or a sheet over a narrow page.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { url } from "./api.js";
import { button, copyButton, dialogView, exactTime, fault, iconButton, menu, switches, table } from "./components.js";
import { indented, jsonView } from "./json.js";
import { curlOf, sendAgain, whyNot } from "./replay.js";
import { outcomeOf } from "./requests.js";
import { sentence } from "./rule.js";
import { PRESETS, numberOf, onlyNext, putRule } from "./rules.js";

const requestIn = (page) => page.requests.find(({ id }) => id === page.openId);

export function detailsPanel(page) {
  const request = requestIn(page);
  return html`
    ${dialogView("details", request ? requestView(page, request) : nothing, page.close)}
    <p class="placeholder quiet">Choose a request to see what was sent and received.</p>
  `;
}

/** Opens or closes the dialog as it is drawn. */
export function placeDetails(page, isNarrow) {
  const dialog = document.getElementById("details");
  if (!dialog) return;
  const isOpen = requestIn(page) !== undefined;
  if (dialog.open && !(isOpen && dialog.matches(":modal") === isNarrow)) dialog.close();
  if (!isOpen || dialog.open) return;
  dialog.closedBy = isNarrow ? "any" : "none";
  // `show` would take the focus from the list.
  if (isNarrow) dialog.showModal();
  else dialog.open = true;
  dialog.scrollTop = 0;
}

function requestView(page, request) {
  const { at, ms, method, path, operationId, errors = [], rule, waiting } = request;
  const [tone, words] = outcomeOf(request);
  const [pathname] = path.split("?");
  const obstacle = whyNot(request);
  const again = button("Send again", () => page.act("details", "", () => sendAgain(request)));
  return html`
    <div class="stack">
      <div class="head">
        <h2 class="line" id="details-title">
          <span class="status ${tone}">${words}</span>
          <span class="method">${method}</span>
          <bdi class="mono cut" title=${pathname}>${pathname}</bdi>
        </h2>
        ${iconButton("close", "Close", page.close)}
        <p class="quiet small">
          ${operationId ?? "no operation"} · ${exactTime(at)} · ${waiting ? "waiting for the response" : `${ms} ms`}
        </p>
      </div>
      <div class="line">
        ${obstacle ? nothing : again} ${copyButton(curlOf(request, url), "the curl command", "Copy as curl")}
        ${operationId ? nextView(page, operationId) : nothing}
      </div>
      <p class="quiet small">
        ${obstacle ?? "Send again is logged like any request, and leaves out hidden credentials."}
      </p>
      ${fault(page.failed.details)} ${rule ? ruleView(page, rule) : nothing}
      <ul class="note rejected" ?hidden=${errors.length === 0}>
        ${errors.map((error) => html`<li><code>${error.path}</code> ${error.message}</li>`)}
      </ul>
      ${sidesView(page, request)}
    </div>
  `;
}

/** A menu of presets for the next request of the operation. */
const nextView = (page, operationId) =>
  menu(
    "next",
    "Respond to the next one with…",
    `Respond to the next ${operationId} with`,
    PRESETS.map(({ name, hint, rule }) => {
      const words = html`${name} <span class="quiet">${hint.replace(", every third", "")}</span>`;
      return button(words, () => putRule(page, "details", onlyNext(rule, operationId)), "ghost");
    }),
  );

/** The rule that changed the response. */
function ruleView({ rules }, rule) {
  const number = numberOf(rule, rules);
  return html`<p class="note">
    ${number > 0 ? html`<a href="#rule-${number}">Rule ${number}</a>:` : "A rule that was removed or changed:"}
    ${sentence(rule)}
  </p>`;
}

const SIDES = Object.entries({ request: "Request", response: "Response" });

/** The request or the response. */
function sidesView(page, request) {
  const { side } = page;
  const { [`${side}Headers`]: headers, [`${side}Body`]: body, path } = request;
  const query = side === "request" ? Array.from(new URL(path, url).searchParams) : [];
  return html`
    <div class="line apart">
      ${switches("side", "Show", SIDES, side, (chosen) => page.set({ side: chosen }))}
      ${body ? copyButton(indented(body), `the body of the ${side}`, "Copy body") : nothing}
    </div>
    ${
      query.length > 0
        ? html`<h3>Query</h3>
            ${table("Query", query, "pairs")}`
        : nothing
    }
    ${body ? jsonView(body) : html`<p class="quiet">${withoutBody(request, headers)}</p>`}
    ${headersView(side, Object.entries(headers), request.rule?.headers)}
  `;
}

function withoutBody({ waiting }, { "content-length": length = "0", "content-type": type }) {
  if (waiting) return "The response is delayed.";
  return length === "0" ? "No body" : `The request log has none of the ${length} bytes${type ? ` of ${type}` : ""}.`;
}

/** Headers that nearly every request or response has. */
const USUAL =
  /^(?:accept-(?:encoding|language)|access-control-.*|cache-control|connection|content-length|cross-origin-.*|date|host|origin-agent-cluster|priority|referrer-policy|sec-.*|strict-transport-security|transfer-encoding|user-agent|vary|x-content-type-options|x-frame-options)$/;

/** The headers, the unusual ones first. @param set those that a rule sets */
function headersView(side, headers, set = {}) {
  const isSet = (name) => Object.keys(set).some((each) => each.toLowerCase() === name);
  const usual = headers.filter(([name]) => USUAL.test(name) && !isSet(name));
  const unusual = headers.filter((header) => !usual.includes(header));
  return html`
    <h3 ?hidden=${headers.length === 0}>Headers</h3>
    ${unusual.length > 0 ? table(`Headers of the ${side}`, unusual, "pairs") : nothing}
    <details ?hidden=${usual.length === 0}>
      <summary class="quiet">${usual.length} more</summary>
      ${table(`More headers of the ${side}`, usual, "pairs")}
    </details>
  `;
}
