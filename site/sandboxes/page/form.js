// The form of a rule, in a dialog.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { ask } from "./ask.js";
import { putRule } from "./faults.js";
import { fieldOf, fields, fill, ruleIn } from "./fields.js";
import { button, fault } from "./parts.js";
import { hasEffect, sentence } from "./rule.js";

const NO_EFFECT = "Choose what happens: a status, a delay, headers, a patch, or a break.";

const dialog = () => document.getElementById("form");
const form = () => dialog().querySelector("form");

/** @param present the rule that the form changes. Without it, the form adds one */
export async function openForm(page, rule, present) {
  page.form = { start: rule, present, shown: {} };
  await page.draw();
  fill(form(), rule);
  page.form.before = JSON.stringify(ruleIn(form()));
  read(page);
  dialog().showModal();
}

/** Reads the form as it is now. */
function read(page) {
  Object.assign(page.form, ruleIn(form()));
  page.draw();
}

/** Closes the form, but loses nothing without asking. */
async function leave(page) {
  const text = html`<p>The rules stay as they are.</p>`;
  const isChanged = JSON.stringify(ruleIn(form())) !== page.form.before;
  if (!isChanged || (await ask("Discard your changes?", text, "Discard", "danger"))) dialog().close();
}

export function formDialog(page) {
  const cancel = (event) => {
    event.preventDefault();
    void leave(page);
  };
  const close = () => {
    page.form = undefined;
    page.draw();
  };
  return html`
    <dialog class="panel" id="form" aria-labelledby="form-title" @cancel=${cancel} @close=${close}>
      ${page.form ? formView(page, page.form) : nothing}
    </dialog>
  `;
}

function formView(page, { start, present, rule = {}, errors = [], shown }) {
  const input = ({ target }) => {
    delete shown[target.name];
    delete shown[""];
    read(page);
  };
  // An error appears when the field is left, not at the first character.
  const change = ({ target }) => {
    show(
      page,
      ruleIn(form()).errors.filter(({ path }) => path === target.name),
    );
  };
  const isValid = errors.length === 0 && Object.keys(shown).length === 0;
  const operationIds = page.operations.map(({ operationId }) => operationId);
  return html`
    <form
      class="stack"
      novalidate
      autocomplete="off"
      @input=${input}
      @change=${change}
      @submit=${(event) => submit(event, page)}
    >
      <h2 id="form-title">${present ? "Edit the rule" : "Add a rule"}</h2>
      ${fields(operationIds, start, shown)}
      <div class="foot stack">
        ${fault(shown[""])}
        ${isValid ? html`<p class="note">${hasEffect(rule) ? sentence(rule) : NO_EFFECT}</p>` : nothing}
        <div class="line end">
          ${button("Cancel", () => leave(page))}
          <button class="button main">${present ? "Save the rule" : "Add the rule"}</button>
        </div>
      </div>
    </form>
  `;
}

/** Shows errors beside their fields. @returns the name of the first field */
function show(page, errors) {
  const named = errors.map(({ path, message }) => [fieldOf(form(), path), message]);
  for (const [name, message] of named) page.form.shown[name] ??= message;
  page.draw();
  return named[0]?.[0];
}

/** Puts the rule, or shows which fields are invalid. */
async function submit(event, page) {
  event.preventDefault();
  const { rule, errors } = ruleIn(form());
  const error = errors.length > 0 ? { errors } : await putRule(page, "form", rule, page.form.present);
  if (!error) return dialog().close();
  const first = show(page, error.errors.length > 0 ? error.errors : [{ path: "", message: error.message }]);
  await page.draw();
  const field = form().elements[first];
  field?.closest("details")?.setAttribute("open", "");
  return field?.focus();
}
