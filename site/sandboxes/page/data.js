// The data of the sandbox, how to replace it, and all of it as JSON in a dialog.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { base, send } from "./api.js";
import { ask, button, dialogView, fault, leaveDialog, panel, table } from "./components.js";
import { indented, rangeOf } from "./json.js";
import { rememberData } from "./storage.js";

/** Data as `PUT …/data` takes it. */
export const CLASSIC = '{"data":"classic"}';
export const EMPTY = '{"data":"empty"}';

/** Replaces all data. @param data as text */
export async function putData(page, data) {
  await send("PUT", "/data", data);
  rememberData(page.name, data);
  // The sandbox has emptied its request log, too.
  page.requests = [];
}

const LISTS = { pets: "Pets", orders: "Orders", users: "Users" };

/** The most rows of a table. */
const MOST = 100;

/** The data of the sandbox, and how to change it. */
export function dataPanel(page) {
  const { name, data, failed, about } = page;
  const counts = Object.keys(LISTS).map((list) => `${about[list]} ${about[list] === 1 ? list.slice(0, -1) : list}`);
  const content = html`
    <p class="quiet">${counts.join(" · ")}</p>
    <div class="line">
      ${button("Edit or paste JSON", () => openEditor(page))}
      <a class="button ghost" href="${base}/data" download="${name}.json">Download</a>
    </div>
    <div class="line" role="group" aria-label="Replace the data">
      <span class="quiet">Replace with</span>
      ${button("Classic data", () => replace(page, CLASSIC, "classic data"), "ghost")}
      ${button("No data", () => replace(page, EMPTY, "no data"), "ghost")}
    </div>
    <p class="quiet small">
      Saving JSON replaces everything. To add or change one pet, order, or user,
      <a href="../../docs/?sandbox=${name}#/pet/updatePet">try it in the documentation</a>.
    </p>
    ${fault(failed.data)} ${Object.keys(LISTS).map((list) => listView(page, list, data[list]))}
  `;
  return panel("data", "Data", nothing, content, page.tab === "data");
}

/** The words for a pet, an order, or a user next to its ID. */
const titleOf = ({ name, username, petId }) => name ?? username ?? (petId === undefined ? "" : `pet ${petId}`);

const listView = (page, list, rows) => html`
  <details @toggle=${page.refresh}>
    <summary class="quiet">${LISTS[list]} <span class="quiet">${page.about[list]}</span></summary>
    ${table(
      list,
      rows.slice(0, MOST).map((row) => {
        const edit = button("Edit", () => openEditor(page, list, row.id), "ghost", `Edit ${row.id} in ${list}`);
        return [row.id, titleOf(row), row.status, edit];
      }),
      "rows",
    )}
    ${rows.length > MOST ? html`<p class="quiet">and ${rows.length - MOST} more</p>` : nothing}
  </details>
`;

async function replace(page, data, words) {
  const text = html`<p>All data, logged requests, sessions, and uploaded files are deleted. Rules and access stay.</p>`;
  if (!(await ask(`Replace everything with ${words}?`, text, "Replace", "danger"))) return;
  await page.act("data", `The sandbox now has ${words}.`, () => putData(page, data));
}

const field = () => document.getElementById("json");

/** Opens the data. @param list and @param id of what to select, such as pets and 7 */
const openEditor = (page, list, id) =>
  page.act("data", "", async () => {
    const present = indented(await (await send("GET", "/data")).text());
    page.editor = { present, errors: [] };
    await page.draw();
    field().value = present;
    document.getElementById("editor").showModal();
    field().focus();
    if (list) showAt(`${list}.${JSON.parse(present)[list].findIndex((each) => each.id === id)}`);
  });

function showAt(path) {
  const [start, end] = rangeOf(field().value, path);
  field().focus();
  field().setSelectionRange(start, end);
  const line = field().value.slice(0, start).split("\n").length - 1;
  field().scrollTop = (line - 3) * Number.parseFloat(getComputedStyle(field()).lineHeight);
}

/** Invalid fields, with messages. Each leads to its place in the text. */
const errorList = (errors) => {
  const lines = errors.map(
    ({ path, message }) => html`<p>${path ? button(path, () => showAt(path), "ghost") : nothing} ${message}</p>`,
  );
  return lines.length > 0 ? html`<div class="note fault" role="alert">${lines}</div>` : nothing;
};

export const editorDialog = (page) =>
  dialogView("editor", page.editor ? formView(page, page.editor) : nothing, () => leave(page));

const formView = (page, { errors }) => html`
  <form class="stack" spellcheck="false" @submit=${(event) => save(event, page)}>
    <div class="line apart">
      <h2 id="editor-title">Data as JSON</h2>
      ${button("Open a file", ({ currentTarget }) => currentTarget.nextElementSibling.click(), "ghost")}
      <input type="file" hidden accept=".json,application/json" @change=${(event) => readFile(event, page)} />
    </div>
    <textarea
      class="field mono"
      id="json"
      wrap="off"
      aria-labelledby="editor-title"
      aria-describedby="json-rule"
    ></textarea>
    ${errorList(errors)}
    <p class="quiet small" id="json-rule">
      Saving replaces all data, and deletes the logged requests, sessions, and uploaded files. Rules and access stay.
    </p>
    <div class="line end">
      ${button("Cancel", () => leave(page))} <button class="button main">Replace all data</button>
    </div>
  </form>
`;

const leave = (page) =>
  leaveDialog("editor", field().value !== page.editor.present, "The data of the sandbox stays as it is.");

async function readFile({ target }, page) {
  const [file] = target.files;
  if (!file) return;
  field().value = indented(await file.text());
  // So that the same file can be opened again.
  target.value = "";
  page.editor.errors = [];
  await page.draw();
  field().focus();
}

/** Saves the text as it is: no number is rounded. */
async function save(event, page) {
  event.preventDefault();
  const text = indented(field().value);
  field().value = text;
  const error = await page.act("editor", "The data is replaced.", async () => {
    // Its message says where the text is not JSON.
    JSON.parse(text);
    await putData(page, text);
  });
  if (!error) return leaveDialog("editor", false);
  page.editor.errors = error.errors?.length > 0 ? error.errors : [{ path: "", message: error.message }];
  return page.draw();
}
