// What is above the panels: the name, what concerns the sandbox as a whole, and the base URL.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { base, send, url } from "./api.js";
import { ask, button, copyButton, exactTime, fault, icon, iconButton, menu, select, switches } from "./components.js";
import { CLASSIC, EMPTY, putData } from "./data.js";
import { forget, lastData, remember } from "./storage.js";

const APIS = Object.entries({ "/v2": "Petstore 2", "/api/v3": "Petstore 3" });

export const headerView = (page) => html`
  <div class="line apart">
    <div class="line">
      <h1 id="title" tabindex="-1">${page.nickname || "Sandbox"}</h1>
      ${page.about ? iconButton("edit", "Edit the nickname", () => rename(page)) : nothing}
    </div>
    ${page.about ? controlsView(page) : nothing}
  </div>
  ${fault(page.failed.header)} ${page.about ? urlView(page) : html`<code>${page.name}</code>`}
`;

const controlsView = (page) => html`
  <div class="line">
    ${button("Reset", () => reset(page), "ghost")} ${menu("more", icon("more"), "More", moreView(page))}
  </div>
`;

const moreView = (page, isOn = page.access === "protected") => html`
  <button type="button" class="button ghost" role="switch" aria-checked=${isOn} @click=${() => setAccess(page)}>
    Protected access <b>${isOn ? "on" : "off"}</b>
  </button>
  ${copyButton(`${url}/`, "the URL of the sandbox", "Copy the sandbox URL")}
  ${button("Delete the sandbox", () => remove(page), "ghost danger")}
  <p class="quiet small">Without requests, it is deleted on <b>${exactTime(new Date(page.about.expiresAt))}</b>.</p>
  <p class="quiet small">${AFTER_DELETE}</p>
`;

const AFTER_DELETE =
  "The next request to its URLs then creates a new, empty sandbox with open access, unless this service limits who may create one.";

const urlView = ({ name, api, set }) => html`
  <div class="base panel line">
    <code><span class="quiet">${url.slice(0, -name.length)}</span>${name}<b>${api}</b></code>
    ${switches("api", "API", APIS, api, (chosen) => set({ api: chosen }))}
    ${copyButton(url + api, "the base URL", "Copy", "main")}
  </div>
`;

async function rename(page) {
  const content = html`
    <label class="stack">Nickname <input class="field" name="nickname" value=${page.nickname} maxlength="60" /></label>
    <p class="quiet">It is kept in this browser only.</p>
  `;
  const fields = await ask("Edit the nickname", content, "Save");
  if (!fields) return;
  page.set({ nickname: fields.get("nickname").trim() });
  remember(page.name, page.nickname);
}

const WORDS = { [CLASSIC]: "the classic data", [EMPTY]: "no data" };

/** Starts over: the data that was chosen last, no rules, and an empty request log. */
async function reset(page) {
  const chosen = lastData(page.name);
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
  await page.act("header", "The sandbox is reset.", async () => {
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
      <input class="field mono" name="apiKey" required pattern="[!-~][ -~]{14,}[!-~]" />
    </label>
    <p class="quiet">16 or more printable ASCII characters. It is not shown again.</p>
  `;
  const fields = isOpen
    ? await ask("Protect the operations?", key, "Protect")
    : await ask("Open the operations?", html`<p>No operation will need a credential.</p>`, "Open");
  if (!fields) return;
  const access = isOpen ? { access: "protected", apiKey: fields.get("apiKey") } : { access: "open" };
  await page.act("header", `The access is ${access.access}.`, () => send("PUT", "/access", access));
}

async function remove(page) {
  const text = html`<p>Its data, rules, request log, and files are deleted. ${AFTER_DELETE}</p>`;
  if (!(await ask("Delete the sandbox?", text, "Delete", "danger"))) return;
  await page.act("header", "The sandbox is deleted.", async () => {
    await send("DELETE", "");
    forget(page.name);
    location.assign(base.slice(0, -page.name.length));
  });
}
