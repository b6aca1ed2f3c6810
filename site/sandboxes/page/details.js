import { html, nothing } from "../../docs/vendor/lit-html.js";
import { base } from "./api.js";
import { fault } from "./parts.js";
import { toneOf } from "./requests.js";
import { addRule, numberOf } from "./rules.js";
import { sentence } from "./rule.js";

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** The open request with its answer. Without one: how to use the sandbox. */
export function detailsPanel(page) {
  const request = page.requests.find(({ id }) => id === page.openId);
  return html`
    <section class="panel stack" id="details" aria-labelledby="details-title">
      ${request ? requestView(page, request) : useView()}
    </section>
  `;
}

function requestView(page, request) {
  const { at, ms, method, path, operationId, status, errors = [], rule } = request;
  return html`
    <div class="line title">
      <h2 id="details-title">
        <span class="status ${toneOf(status)}">${status}</span>
        <span class="method ${method.toLowerCase()}">${method}</span>
        <bdi class="mono">${path}</bdi>
      </h2>
      <a href="#requests">Close</a>
    </div>
    <p class="quiet">${operationId ?? "no operation"} · ${moment.format(at)} · ${ms} ms</p>
    ${
      operationId
        ? html`<div>
            <button type="button" class="button" @click=${() => failNext(page, operationId)}>
              Answer the next one with 503
            </button>
          </div>`
        : nothing
    }
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
  `;
}

/** The rule that was applied to the answer. */
function ruleView({ rules }, rule) {
  const number = numberOf(rule, rules);
  return html`<p class="note">
    ${number > 0 ? html`<a href="#rule-${number}">Rule ${number}</a>:` : "A rule that is gone:"} ${sentence(rule)}
  </p>`;
}

const side = (title, headers, body) => html`
  <div class="stack">
    <h3>${title}</h3>
    ${body ? html`<pre>${indented(body)}</pre>` : html`<p class="quiet">No body</p>`}
    <table class="headers">
      <caption>
        Headers
      </caption>
      <tbody>
        ${Object.entries(headers).map(
          ([name, value]) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td><bdi>${value}</bdi></td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>
`;

/** JSON on several lines; any other text as it is. Also JSON with numbers that would be rounded. */
function indented(text) {
  if (/\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const failNext = (page, operationId) => addRule(page, "details", { operationId, status: 503, times: 1 });

const exampleOf = (url) => `curl ${url}/pet -H 'Content-Type: application/json' \\
  -d '{"name":"Rex","photoUrls":["rex.jpg"],"status":"available"}'`;

/** How to use the sandbox. */
function useView() {
  const v2 = `${location.origin}${base}/v2`;
  return html`
    <div class="title line"><h2 id="details-title">Use it</h2></div>
    <p>Send requests to one of these addresses. Open a request in the list to see its details.</p>
    <dl class="facts stack">
      <div>
        <dt>Petstore 2</dt>
        <dd><code>${v2}</code></dd>
      </div>
      <div>
        <dt>Petstore 3</dt>
        <dd><code>${location.origin}${base}/api/v3</code></dd>
      </div>
    </dl>
    <pre>${exampleOf(v2)}</pre>
  `;
}
