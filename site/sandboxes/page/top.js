// What stands above and below the panels: the URLs, and what concerns the sandbox as a whole.
import { html } from "../../docs/vendor/lit-html.js";
import { base, send, url } from "./api.js";
import { ask, copyButton } from "./ask.js";
import { CLASSIC, EMPTY, lastChosen, putData } from "./chosen.js";
import { button, fault, select } from "./parts.js";

export const topView = (page) => html`
  <div class="line apart">
    <div class="line fixed">
      <h1 id="title" tabindex="-1">Sandbox</h1>
      <code class="cut quiet">${page.name}</code>
      ${copyButton(`${url}/`, "the URL of the sandbox", "Copy its URL")}
    </div>
    <div class="line" ?hidden=${!page.about}>
      ${button(`Access: ${page.access}`, () => setAccess(page))} ${button("Reset", () => reset(page))}
    </div>
  </div>
  ${fault(page.failed.top)}
  <dl class="urls panel" ?hidden=${!page.about}>${urlView("Petstore 2", "/v2")} ${urlView("Petstore 3", "/api/v3")}</dl>
`;

/** A URL that does not fit is cut before its path. */
const urlView = (title, path) => html`
  <div class="stack">
    <dt>Base URL of ${title}</dt>
    <dd class="line fixed">
      ${copyButton(url + path, `the base URL of ${title}`)}
      <code class="line fixed"><span class="cut">${url}</span>${path}</code>
    </dd>
  </div>
`;

const moment = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export const footView = (page) => html`
  <footer class="line apart">
    <p class="quiet">
      If nobody uses it, the sandbox is deleted on <b>${moment.format(new Date(page.about.expiresAt))}</b>.
    </p>
    ${button("Delete the sandbox", () => end(page), "danger")}
  </footer>
  ${fault(page.failed.end)}
`;

const WORDS = { [CLASSIC]: "the classic data", [EMPTY]: "no data" };

/** Begins again: data as it was chosen last, no rules, no record. */
async function reset(page) {
  const chosen = lastChosen(page.name);
  const question = html`
    ${
      chosen
        ? html`<p>The data will be ${WORDS[chosen] ?? "your own, as you saved it last"} again.</p>`
        : html`<label class="stack"
            >The data will be ${select(Object.entries(WORDS), CLASSIC, { name: "data" })}</label
          >`
    }
    <p>All rules, recorded requests, sessions and uploaded files go. The access stays.</p>
  `;
  const answer = await ask("Reset the sandbox?", question, "Reset", "danger");
  if (!answer) return;
  await page.act("top", "The sandbox is reset.", async () => {
    await send("DELETE", "/faults");
    await putData(page, chosen ?? answer.get("data"));
  });
}

async function setAccess(page) {
  const isOpen = page.access === "open";
  const key = html`
    <p>Writes will need a login, or this key in the header X-API-Key. This page needs neither.</p>
    <label class="stack">
      API key
      <input
        class="field mono"
        name="apiKey"
        required
        pattern="[!-~][ -~]{14,}[!-~]"
        title="16 or more ASCII characters"
      />
    </label>
    <p class="quiet">16 or more printable ASCII characters. It is not shown again.</p>
  `;
  const answer = isOpen
    ? await ask("Protect the operations?", key, "Protect")
    : await ask("Open the operations?", html`<p>No operation will need a credential.</p>`, "Open");
  if (!answer) return;
  const access = isOpen ? { access: "protected", apiKey: answer.get("apiKey") } : { access: "open" };
  await page.act("top", `The access is ${access.access}.`, () => send("PUT", "/access", access));
}

async function end(page) {
  const text = html`<p>Its data, rules, requests and files go, and its URLs stop working.</p>`;
  if (!(await ask("Delete the sandbox?", text, "Delete", "danger"))) return;
  await page.act("end", "The sandbox is deleted.", async () => {
    await send("DELETE", "");
    location.assign(base.slice(0, -page.name.length));
  });
}
