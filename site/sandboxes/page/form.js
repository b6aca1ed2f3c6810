// The form of a rule, in a dialog.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { putRule } from "./faults.js";
import { button, errorList } from "./parts.js";
import { effect, fields, fill, hasRare, ruleIn, sentence } from "./rule.js";

const NO_EFFECT = "Choose what happens: a status, a delay, headers, a patch or a break.";

const dialog = () => document.getElementById("form");

/** @param present the rule that the form changes. Without it, the form adds one */
export async function openForm(page, rule, present) {
  page.form = { start: rule, draft: rule, present, errors: [] };
  await page.draw();
  fill(dialog().querySelector("form"), rule);
  dialog().showModal();
}

export function formDialog(page) {
  const close = () => {
    page.form = undefined;
    page.draw();
  };
  return html`
    <dialog class="panel" id="form" aria-labelledby="form-title" @close=${close}>
      ${page.form ? formView(page, page.form) : nothing}
    </dialog>
  `;
}

function formView(page, { start, draft, present, errors }) {
  const change = ({ currentTarget }) => {
    Object.assign(page.form, { draft: ruleIn(currentTarget).rule, errors: [] });
    page.draw();
  };
  return html`
    <form class="stack" novalidate autocomplete="off" @input=${change} @submit=${(event) => submit(event, page)}>
      <h2 id="form-title">${present ? "Edit the rule" : "Add a rule"}</h2>
      ${fields(page.operations, hasRare(start))} ${errorList(errors, focusField)}
      <p class="note">${effect(draft).length > 0 ? sentence(draft) : NO_EFFECT}</p>
      <div class="line end">
        ${button("Cancel", () => dialog().close())}
        <button class="button main">${present ? "Save the rule" : "Add the rule"}</button>
      </div>
    </form>
  `;
}

/** Puts the rule, or shows which members are wrong. */
async function submit(event, page) {
  event.preventDefault();
  const { rule, errors } = ruleIn(event.target);
  const error = errors.length > 0 ? { errors } : await putRule(page, "form", rule, page.form.present);
  if (!error) return dialog().close();
  // The service says at which place in the list the rule is.
  const withoutPlace = error.errors.map(({ path, message }) => ({ path: path.replace(/^\d+\.?/, ""), message }));
  page.form.errors = withoutPlace.length > 0 ? withoutPlace : [{ path: "", message: error.message }];
  await page.draw();
  return focusField(page.form.errors[0].path);
}

function focusField(path) {
  const field = dialog().querySelector("form").elements[path.split(".")[0]];
  const folded = field?.closest("details");
  if (folded) folded.open = true;
  field?.focus();
}
