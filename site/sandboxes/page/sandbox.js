// The page of a sandbox: its state, its parts, and the request and the panel that its address names.
import { html, nothing, render } from "../../docs/vendor/lit-html.js";
import { base } from "./api.js";
import { button, fault, say } from "./components.js";
import { CLASSIC, dataPanel, editorDialog, putData } from "./data.js";
import { detailsPanel, placeDetails } from "./details.js";
import { headerView } from "./header.js";
import { follow, refresh } from "./live.js";
import { requestsPanel, showOpenRow } from "./requests.js";
import { formDialog, openForm } from "./rule-form.js";
import { focusRule, readOperations, rulesPanel } from "./rules.js";
import { nicknameOf, remember } from "./storage.js";

const element = (id) => document.getElementById(id);

/** Where the details are a sheet, and where the panels are tabs. page.css has the same widths. */
const narrow = matchMedia("(width < 1000px)");
const tabbed = matchMedia("(width < 1280px)");

const name = base.split("/").at(-1);

/** The state of the page, and the functions that its parts call. */
const page = {
  name,
  nickname: nicknameOf(name),
  /** What the service says. `about` is `null` if there is no such sandbox. */
  about: undefined,
  data: { pets: [], orders: [], users: [] },
  access: undefined,
  rules: undefined,
  /** Newest first. */
  requests: [],
  filter: {},
  isPaused: false,
  live: undefined,
  /** The open request, or 0, and the panel that is shown where they are tabs. */
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
  set,
  refresh: () => refresh(page),
  openForm: (rule, present) => openForm(page, rule, present),
  close: () => (location.hash = "#/requests"),
};

let drawing;

/** Changes the state, and draws the page. */
function set(changes) {
  Object.assign(page, changes);
  void draw();
}

/** Draws the page once a frame, however often it is called. Resolves after that. */
function draw() {
  return (drawing ??= drawSoon());
}

async function drawSoon() {
  await new Promise(requestAnimationFrame);
  drawing = undefined;
  document.title = `${page.nickname || name} · Pet Store Service`;
  render(view(), element("page"));
  placeDetails(page, narrow.matches);
  showOpenRow(page);
}

const view = () => html`
  ${headerView(page)} ${fault(page.lost)} ${page.about === null ? missingView() : nothing}
  ${
    page.about
      ? html`${tabsView()}
          <div class="desk">
            <div class="log panel" ?data-shown=${page.tab === "requests"}>
              ${requestsPanel(page)} ${detailsPanel(page)}
            </div>
            <div class="side">${rulesPanel(page)} ${dataPanel(page)}</div>
          </div>`
      : nothing
  }
  ${formDialog(page)} ${editorDialog(page)}
`;

const tabView = (tab, words) =>
  html`<a href="#/${tab}" aria-current=${page.tab === tab ? "true" : nothing}>${words}</a>`;

const tabsView = () => html`
  <nav class="tabs line" aria-label="Parts of the sandbox">
    ${tabView("requests", `Requests ${page.requests.length}`)} ${tabView("rules", `Rules ${page.rules.length}`)}
    ${tabView("data", "Data")}
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
    set({ failed: { [place]: error.message } });
    return error;
  }
  page.failed = {};
  if (done) say(done);
  await page.refresh();
  await draw();
  return undefined;
}

/** Shows what the address names: a request, such as `#12`, a panel, such as `#/data`, or a rule, such as `#rule-1`. */
async function route() {
  const closedId = page.openId;
  const target = location.hash.slice(1);
  const isRule = target.startsWith("rule-");
  if (!isRule || tabbed.matches) {
    page.openId = Number(target) || 0;
    page.tab = isRule ? "rules" : (/^\/(requests|rules|data)$/.exec(target)?.[1] ?? "requests");
  }
  await draw();
  if (isRule) focusRule(target);
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
remember(name);
element("to-documentation").search = `?sandbox=${name}`;
void route();
readOperations(page).catch(() => {
  // Rules for all requests can be created without them.
});
void follow(page);
