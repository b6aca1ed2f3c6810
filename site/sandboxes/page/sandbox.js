// The page of a sandbox: its state, its parts, and the request and the panel that its address names.
import { html, nothing, render } from "../../docs/vendor/lit-html.js";
import { base } from "./api.js";
import { CLASSIC, putData } from "./chosen.js";
import { dataPanel } from "./data.js";
import { detailsPanel, placeDetails } from "./details.js";
import { editorDialog } from "./editor.js";
import { formDialog } from "./form.js";
import { follow, refresh } from "./live.js";
import { say } from "./notice.js";
import { button, fault } from "./parts.js";
import { requestsPanel } from "./requests.js";
import { readOperations, rulesPanel } from "./rules.js";
import { remember } from "./recent.js";
import { topView } from "./top.js";

const element = (id) => document.getElementById(id);

/** Where the panels are tabs, and the details a sheet. page.css has the same width. */
const narrow = matchMedia("(width < 1100px)");

/** The state of the page, and the functions that its parts call. */
const page = {
  name: base.split("/").at(-1),
  /** What the service says. `about` is `null` if there is no such sandbox. */
  about: undefined,
  data: { pets: [], orders: [], users: [] },
  access: undefined,
  rules: undefined,
  /** Newest first. */
  requests: [],
  filter: { operationId: "", status: "", path: "", isFaulted: false },
  isPaused: false,
  /** How requests arrive: `Live`, `Polling`, or `Offline`. */
  live: undefined,
  /** The open request, or 0, and the panel that a narrow page shows. */
  openId: 0,
  tab: "requests",
  /** What is shown of the open request, and the API whose base URL is shown. */
  side: "response",
  api: "/v2",
  /** The operations of both APIs, and the one that presets are for. */
  operations: [],
  scope: "",
  /** The state of the dialogs, while they are open. */
  form: undefined,
  editor: undefined,
  /** Why the last action failed, by the place of its button, and why the sandbox could not be read. */
  failed: {},
  lost: undefined,
  act,
  draw,
  refresh: () => refresh(page),
  close: () => (location.hash = "#/requests"),
};

let drawing;

/** Draws the page once a frame, however often it is called. Resolves after that. */
function draw() {
  drawing ??= drawSoon();
  return drawing;
}

async function drawSoon() {
  await new Promise(requestAnimationFrame);
  drawing = undefined;
  render(view(), element("page"));
  placeDetails(page, narrow.matches);
}

const view = () => html`
  ${topView(page, narrow.matches)} ${fault(page.lost)} ${page.about === null ? missingView() : nothing}
  ${
    page.about
      ? html`${tabsView()}
          <div class="desk">
            <div class="story" ?data-shown=${page.tab === "requests"}>${requestsPanel(page)} ${detailsPanel(page)}</div>
            ${rulesPanel(page)} ${dataPanel(page)}
          </div>`
      : nothing
  }
  ${formDialog(page)} ${editorDialog(page)}
`;

const tabsView = () => html`
  <nav class="tabs top line" aria-label="Parts of the sandbox">
    ${[
      ["requests", "Requests", page.requests.length],
      ["rules", "Rules", page.rules.length],
      ["data", "Data", ""],
    ].map(
      ([tab, title, count]) =>
        html`<a href="#/${tab}" aria-current=${page.tab === tab ? "true" : nothing}>${title} ${count}</a>`,
    )}
  </nav>
`;

const missingView = () => html`
  <p>There is no sandbox with this name now. It was never created, was deleted, or expired.</p>
  ${fault(page.failed.missing)}
  <div class="line">
    ${button("Create it with the classic data", create, "main")} <a href="../">Create another one</a>
  </div>
`;

const create = () => act("missing", "The sandbox is created.", () => putData(page, CLASSIC));

/**
 * Does the work of a button. Says `done`, or shows next to the button why it failed.
 * @returns the error, if there was one
 */
async function act(place, done, work) {
  try {
    await work();
  } catch (error) {
    page.failed = { [place]: error.message };
    draw();
    return error;
  }
  page.failed = {};
  if (done) say(done);
  await page.refresh();
  return undefined;
}

/** Shows what the address names: a request, such as `#12`, a panel, such as `#/data`, or a rule, such as `#rule-1`. */
async function route() {
  const closedId = page.openId;
  const target = location.hash.slice(1);
  const isRule = target.startsWith("rule-");
  if (isRule && !narrow.matches) return;
  page.openId = Number(target) || 0;
  page.tab = isRule ? "rules" : (/^\/(requests|rules|data)$/.exec(target)?.[1] ?? "requests");
  await draw();
  if (isRule) element(target)?.focus();
  // The link that had the focus may not be shown any more.
  else if (!page.openId && closedId) focusRow(closedId);
}

const focusRow = (id) => (document.querySelector(`#rows [href="#${id}"]`) ?? element("title")).focus();

addEventListener("hashchange", route);
narrow.addEventListener("change", draw);
addEventListener("keydown", ({ key }) => {
  // A dialog and a menu close themselves.
  const isElsewhere = document.querySelector("dialog:modal, .menu:popover-open");
  if (key === "Escape" && page.openId && !isElsewhere) page.close();
});
remember(page.name);
document.title = `${page.name} · Pet Store Service`;
element("to-documentation").search = `?sandbox=${page.name}`;
void route();
readOperations(page).catch(() => {
  // Rules for all requests can be created without them.
});
void follow(page);
