import { html, nothing } from "../../docs/vendor/lit-html.js";
import { sendAgain, whyNot } from "./again.js";
import { url } from "./api.js";
import { copyButton } from "./ask.js";
import { curlOf } from "./curl.js";
import { PRESETS, numberOf, onlyNext, putRule } from "./faults.js";
import { indented, jsonView } from "./json.js";
import { button, fault, menu, menuItem, switches, table } from "./parts.js";
import { statusOf, toneOf } from "./requests.js";
import { sentence } from "./rule.js";

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

const requestIn = (page) => page.requests.find(({ id }) => id === page.openId);

/** The open request with its response: next to the list, or a sheet over it where the page is narrow. */
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
  const obstacle = whyNot(request);
  const again = button("Send again", () => page.act("details", "", () => sendAgain(request)));
  return html`
    <div class="stack">
      <div class="line apart fixed">
        <h2 id="details-title">
          <span class="status ${toneOf(status)}">${statusOf(status)}</span>
          <span class="method ${method.toLowerCase()}">${method}</span>
          <bdi class="mono">${path}</bdi>
        </h2>
        <a href="#/requests">Close</a>
      </div>
      <p class="quiet">${operationId ?? "no operation"} · ${moment.format(at)} · ${ms} ms</p>
      <div class="line">
        ${obstacle ? nothing : again} ${copyButton(curlOf(request, url), "the curl command", "Copy as curl")}
        ${operationId ? nextView(page, operationId) : nothing}
      </div>
      <p class="quiet small">
        ${obstacle ?? "Send again is logged like any request, and leaves out hidden credentials."}
      </p>
      ${fault(page.failed.details)} ${rule ? ruleView(page, rule) : nothing}
      ${
        errors.length > 0
          ? html`<ul class="note rejected">
              ${errors.map((error) => html`<li><code>${error.path}</code> ${error.message}</li>`)}
            </ul>`
          : nothing
      }
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
    PRESETS.map(({ name, hint, rule }) =>
      menuItem(html`${name} <span class="quiet">${hint.replace(", every third", "")}</span>`, () =>
        putRule(page, "details", onlyNext(rule, operationId)),
      ),
    ),
  );

/** The rule that changed the response. */
function ruleView({ rules }, rule) {
  const number = numberOf(rule, rules);
  return html`<p class="note">
    ${number > 0 ? html`<a href="#rule-${number}">Rule ${number}</a>:` : "A rule that was removed or changed:"}
    ${sentence(rule)}
  </p>`;
}

const SIDES = [
  ["request", "Request"],
  ["response", "Response"],
];

/** The request or the response. */
function sidesView(page, request) {
  const { side } = page;
  const { [`${side}Headers`]: headers, [`${side}Body`]: body } = request;
  const show = (value) => {
    page.side = value;
    page.draw();
  };
  return html`
    <div class="line apart">
      ${switches("side", "Show", SIDES, side, show)}
      ${body ? copyButton(indented(body), `the body of the ${side}`, "Copy body") : nothing}
    </div>
    ${body ? jsonView(body) : html`<p class="quiet">${withoutBody(headers)}</p>`}
    <details open>
      <summary>Headers <span class="quiet">${Object.keys(headers).length}</span></summary>
      ${table(`Headers of the ${side}`, Object.entries(headers))}
    </details>
  `;
}

const withoutBody = ({ "content-length": length = "0", "content-type": type }) =>
  length === "0" ? "No body" : `The request log has none of the ${length} bytes${type ? ` of ${type}` : ""}.`;
