// What is above the panels: the URL, and what concerns the sandbox as a whole.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { base, send, url } from "./api.js";
import { ask, copyButton } from "./ask.js";
import { CLASSIC, EMPTY, lastChosen, putData } from "./chosen.js";
import { closeMenu, fault, menu, menuItem, button, select, switches } from "./parts.js";
import { forget } from "./recent.js";

const APIS = [
  ["/v2", "Petstore 2"],
  ["/api/v3", "Petstore 3"],
];

/** How much of the end of a name is always shown. */
const END = -6;

/** @param isNarrow whether there is only space for the most important controls */
export const topView = (page, isNarrow) => html`
  <div class="line apart fixed">
    <div class="line fixed">
      <h1 id="title" tabindex="-1">Sandbox</h1>
      <code class="line fixed quiet" title=${page.name}
        ><span class="cut">${page.name.slice(0, END)}</span>${page.name.slice(END)}</code
      >
    </div>
    ${page.about ? controlsView(page, isNarrow) : nothing}
  </div>
  ${fault(page.failed.top)} ${page.about ? urlView(page, isNarrow) : nothing}
`;

function controlsView(page, isNarrow) {
  const access = html`
    <label class="line fixed">
      <input
        type="checkbox"
        role="switch"
        .checked=${page.access === "protected"}
        @click=${(event) => {
          event.preventDefault();
          closeMenu(event);
          void setAccess(page);
        }}
      />
      Protected access
    </label>
  `;
  return html`
    <div class="line fixed keep">
      ${isNarrow ? nothing : html`${access} ${button("Reset", () => reset(page))}`}
      ${menu("more", "More", "More", moreView(page, isNarrow ? access : nothing, isNarrow))}
    </div>
  `;
}

const moment = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

const moreView = (page, access, isNarrow) => html`
  ${access} ${isNarrow ? menuItem("Reset", () => reset(page)) : nothing}
  ${copyButton(`${url}/`, "the URL of the sandbox", "Copy the sandbox URL")}
  <p class="quiet">Without requests, it is deleted on <b>${moment.format(new Date(page.about.expiresAt))}</b>.</p>
  ${menuItem("Delete the sandbox", () => remove(page), "danger")}
  <p class="quiet">${AFTER_DELETE}</p>
`;

const AFTER_DELETE =
  "The next request to its URLs then creates a new, empty sandbox with open access, unless this service limits who may create one.";

/** A URL that does not fit is cut before its path. */
function urlView(page, isNarrow) {
  const change = (api) => {
    page.api = api;
    page.draw();
  };
  return html`
    <div class="base line fixed">
      ${isNarrow ? nothing : html`<b>Base URL</b>`} ${switches("api", "API", APIS, page.api, change)}
      <code class="line fixed"><span class="cut">${url}</span>${page.api}</code>
      ${copyButton(url + page.api, "the base URL")}
    </div>
  `;
}

const WORDS = { [CLASSIC]: "the classic data", [EMPTY]: "no data" };

/** Starts over: the data that was chosen last, no rules, and an empty request log. */
async function reset(page) {
  const chosen = lastChosen(page.name);
  const question = html`
    ${
      chosen
        ? html`<p>The sandbox starts over with ${WORDS[chosen] ?? "the data that you saved last"}.</p>`
        : html`<label class="stack"
            >The sandbox starts over with ${select(Object.entries(WORDS), CLASSIC, { name: "data" })}</label
          >`
    }
    <p>All rules, logged requests, sessions, and uploaded files are deleted. The access stays.</p>
  `;
  const fields = await ask("Reset the sandbox?", question, "Reset", "danger");
  if (!fields) return;
  await page.act("top", "The sandbox is reset.", async () => {
    await send("DELETE", "/faults");
    await putData(page, chosen ?? fields.get("data"));
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
  const fields = isOpen
    ? await ask("Protect the operations?", key, "Protect")
    : await ask("Open the operations?", html`<p>No operation will need a credential.</p>`, "Open");
  if (!fields) return;
  const access = isOpen ? { access: "protected", apiKey: fields.get("apiKey") } : { access: "open" };
  await page.act("top", `The access is ${access.access}.`, () => send("PUT", "/access", access));
}

async function remove(page) {
  const text = html`<p>Its data, rules, request log, and files are deleted. ${AFTER_DELETE}</p>`;
  if (!(await ask("Delete the sandbox?", text, "Delete", "danger"))) return;
  await page.act("top", "The sandbox is deleted.", async () => {
    await send("DELETE", "");
    forget(page.name);
    location.assign(base.slice(0, -page.name.length));
  });
}
