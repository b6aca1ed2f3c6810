// All data as JSON, in a dialog.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { send } from "./api.js";
import { ask } from "./ask.js";
import { putData } from "./chosen.js";
import { indented, rangeOf } from "./json.js";
import { button, errorList } from "./parts.js";

const dialog = () => document.getElementById("editor");
const field = () => document.getElementById("json");

/** Opens the data. @param list and @param id of what to select, such as pets and 7 */
export const openEditor = (page, list, id) =>
  page.act("data", "", async () => {
    const present = indented(await (await send("GET", "/data")).text());
    page.editor = { present, errors: [] };
    await page.draw();
    field().value = present;
    dialog().showModal();
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

export function editorDialog(page) {
  const cancel = (event) => {
    event.preventDefault();
    void leave(page);
  };
  return html`
    <dialog class="panel" id="editor" aria-labelledby="editor-title" @cancel=${cancel}>
      ${page.editor ? formView(page, page.editor) : nothing}
    </dialog>
  `;
}

const formView = (page, { errors }) => html`
  <form class="stack" @submit=${(event) => save(event, page)}>
    <div class="line apart">
      <h2 id="editor-title">Data as JSON</h2>
      ${button("Open a file", ({ currentTarget }) => currentTarget.nextElementSibling.click())}
      <input type="file" hidden accept=".json,application/json" @change=${(event) => readFile(event, page)} />
    </div>
    <textarea
      class="field mono"
      id="json"
      wrap="off"
      spellcheck="false"
      aria-labelledby="editor-title"
      aria-describedby="json-rule"
    ></textarea>
    ${errorList(errors, showAt)}
    <p class="quiet" id="json-rule">
      Saving replaces all data, and deletes the logged requests, sessions, and uploaded files. Rules and access stay.
    </p>
    <div class="line end">
      ${button("Cancel", () => leave(page))} <button class="button main">Replace all data</button>
    </div>
  </form>
`;

/** Closes the editor, but loses nothing without asking. */
async function leave(page) {
  const text = html`<p>The data of the sandbox stays as it is.</p>`;
  const isKept =
    field().value !== page.editor.present && !(await ask("Discard your changes?", text, "Discard", "danger"));
  if (!isKept) dialog().close();
}

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
  if (!error) return dialog().close();
  page.editor.errors = error.errors?.length > 0 ? error.errors : [{ path: "", message: error.message }];
  return page.draw();
}
