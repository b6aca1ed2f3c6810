import { html, nothing } from "../../docs/vendor/lit-html.js";
import { url } from "./api.js";
import { copyButton } from "./ask.js";
import { curlOf } from "./curl.js";
import { PRESETS, numberOf, onlyNext, putRule } from "./faults.js";
import { indented } from "./json.js";
import { button, fault, table } from "./parts.js";
import { toneOf } from "./requests.js";
import { effect, sentence } from "./rule.js";

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

const requestIn = (page) => page.requests.find(({ id }) => id === page.openId);

/** The open request with its answer: beside the list, or a sheet over it where the page is narrow. */
export function detailsPanel(page) {
  const request = requestIn(page);
  const close = (event) => {
    event.preventDefault();
    page.close();
  };
  return html`
    <dialog class="panel" id="details" aria-labelledby="details-title" @cancel=${close}>
      ${request ? requestView(page, request) : nothing}
    </dialog>
  `;
}

/** Opens or closes the dialog as it is drawn. */
export function placeDetails(page, isNarrow) {
  const dialog = document.getElementById("details");
  if (!dialog) return;
  const isOpen = requestIn(page) !== undefined;
  if (dialog.open && !(isOpen && dialog.matches(":modal") === isNarrow)) {
    if (dialog.matches(":modal")) dialog.close();
    else dialog.open = false;
  }
  if (!isOpen || dialog.open) return;
  dialog.closedBy = isNarrow ? "any" : "none";
  // `show` would take the focus from the list.
  if (isNarrow) dialog.showModal();
  else dialog.open = true;
  dialog.scrollTop = 0;
}

function requestView(page, request) {
  const { at, ms, method, path, operationId, status, errors = [], rule } = request;
  return html`
    <div class="stack">
      <div class="line apart">
        <h2 id="details-title">
          <span class="status ${toneOf(status)}">${status}</span>
          <span class="method ${method.toLowerCase()}">${method}</span>
          <bdi class="mono">${path}</bdi>
        </h2>
        <a href="#/requests">Close</a>
      </div>
      <p class="quiet">${operationId ?? "no operation"} · ${moment.format(at)} · ${ms} ms</p>
      <div class="line">
        ${copyButton(curlOf(request, url), "the curl command", "Copy as curl")}
        ${operationId ? nextView(page, operationId) : nothing}
      </div>
      ${fault(page.failed.details)} ${rule ? ruleView(page, rule) : nothing}
      ${
        errors.length > 0
          ? html`<ul class="note refused">
              ${errors.map((error) => html`<li><code>${error.path}</code> ${error.message}</li>`)}
            </ul>`
          : nothing
      }
      <div class="sides">
        ${side("Request", request.requestHeaders, request.requestBody)}
        ${side("Answer", request.responseHeaders, request.responseBody)}
      </div>
    </div>
  `;
}

/** A menu of what the next request of the operation is answered with. */
function nextView(page, operationId) {
  const choose = async ({ currentTarget }, rule) => {
    currentTarget.closest("[popover]").hidePopover();
    await putRule(page, "details", onlyNext(rule, operationId));
  };
  return html`
    <button type="button" class="button" popovertarget="next">Answer the next one like this with…</button>
    <ul id="next" class="menu panel" popover aria-label="Answer the next ${operationId} with">
      ${PRESETS.map(({ rule }) => html`<li>${button(effect(rule), (event) => choose(event, rule))}</li>`)}
    </ul>
  `;
}

/** The rule that was applied to the answer. */
function ruleView({ rules }, rule) {
  const number = numberOf(rule, rules);
  return html`<p class="note">
    ${number > 0 ? html`<a href="#rule-${number}">Rule ${number}</a>:` : "A rule that is gone:"} ${sentence(rule)}
  </p>`;
}

const withoutBody = ({ "content-length": length = "0", "content-type": type }) =>
  length === "0" ? "No body" : `The record has none of the ${length} bytes${type ? ` of ${type}` : ""}.`;

const side = (title, headers, body) => html`
  <div class="stack">
    <h3>${title}</h3>
    ${body ? html`<pre>${indented(body)}</pre>` : html`<p class="quiet">${withoutBody(headers)}</p>`}
    <details>
      <summary>Headers <span class="quiet">${Object.keys(headers).length}</span></summary>
      ${table(`Headers of the ${title}`, Object.entries(headers))}
    </details>
  </div>
`;
