// The form of a rule, in a dialog. Its fields keep what is wrong with them as the browser's custom validity.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { anyOf, button, dialogView, fault, leaveDialog, select } from "./components.js";
import { FIELDS, PARTS, hasEffect, sentence, valuesOf } from "./rule.js";
import { putRule } from "./rules.js";

const NO_EFFECT = "Choose what happens: a status, a delay, headers, a patch, or a break.";
const dialog = () => document.getElementById("form");
const form = () => dialog().querySelector("form");
const controls = () => Array.from(form().elements).filter(({ name }) => name in FIELDS);

/** @param present the rule that the form changes. Without it, the form adds one */
export async function openForm(page, rule, present) {
  // Without what was entered before.
  page.form = undefined;
  await page.draw();
  page.form = { start: rule, present };
  await page.draw();
  fill(rule);
  preview(page);
  dialog().showModal();
}

/** Shows a rule in the form. */
function fill(rule) {
  const { delayMs } = rule;
  const [least, most] = Array.isArray(delayMs) ? delayMs : [delayMs];
  for (const [name, value] of [...valuesOf({ ...rule, delayMs: least }), ["delayMs.1", most ?? ""]]) {
    const control = form().elements[name];
    if (FIELDS[name].isFlag) control.checked = value;
    else control.value = FIELDS[name].isJson ? JSON.stringify(value) : value;
  }
}

/** Reads the rule in the form, without invalid JSON. */
function ruleIn() {
  const values = {};
  for (const { name, type, value, checked } of controls()) {
    if (value === "" || (type === "checkbox" && !checked) || jsonError(name, value)) continue;
    if (FIELDS[name].isFlag) values[name] = true;
    else values[name] = FIELDS[name].isJson ? JSON.parse(value) : type === "number" ? Number(value) : value;
  }
  const { "delayMs.1": most, ...rule } = values;
  if (most !== undefined) rule.delayMs = [rule.delayMs, most];
  for (const name of Object.keys(rule).filter((each) => each.startsWith("match."))) {
    rule.match = { ...rule.match, [name.slice("match.".length)]: rule[name] };
    delete rule[name];
  }
  return rule;
}

/** Returns why a value is not JSON, if it must be; otherwise an empty text. */
function jsonError(name, value) {
  try {
    if (FIELDS[name].isJson && value !== "") JSON.parse(value);
    return "";
  } catch ({ message }) {
    return `is not JSON: ${message}`;
  }
}

/** Checks a field. The browser checks numbers, and the service the rest. */
function check({ name, value }) {
  form().elements[name].setCustomValidity(jsonError(name, value));
  const { delayMs, "delayMs.1": most } = form().elements;
  const isIncomplete = most.value !== "" && delayMs.value === "";
  if (name.startsWith("delayMs")) delayMs.setCustomValidity(isIncomplete ? "Enter the least delay too." : "");
}

/** Shows under a field what is wrong with it. */
function report(control) {
  const text = document.getElementById(`error-${control.name}`);
  text.textContent = control.validationMessage;
  text.hidden = control.validity.valid;
  control.ariaInvalid = control.validity.valid ? null : "true";
}

/** Shows the rule in words, unless a field is invalid. */
function preview(page) {
  const isValid = controls().every(({ validity }) => validity.valid);
  page.set({ form: { ...page.form, rule: isValid ? ruleIn() : undefined } });
}

function input(page, { target }) {
  page.failed = {};
  check(target);
  // An error disappears at once, and appears when the field is left, not at the first character.
  if (target.validity.valid) report(target);
  preview(page);
  page.form.isChanged = true;
}

/** The field of a path in an error, such as `headers` for `0.headers.x-a`. */
function controlOf(path) {
  const inRule = path.replace(/^\d+\.?/, "");
  return controls()
    .filter(({ name }) => `${inRule}.`.startsWith(`${name}.`))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}

/** Puts the rule, or shows which fields are invalid. */
async function submit(event, page) {
  event.preventDefault();
  controls().forEach(check);
  if (controls().every(({ validity }) => validity.valid)) {
    const error = await putRule(page, "form", ruleIn(), page.form.present);
    if (!error) return dialog().close();
    for (const { path, message } of error.errors) controlOf(path)?.setCustomValidity(message);
    // The errors are beside their fields.
    if (error.errors.some(({ path }) => controlOf(path))) page.failed = {};
  }
  controls().forEach(report);
  preview(page);
  const first = controls().find(({ validity }) => !validity.valid);
  first?.closest("details")?.setAttribute("open", "");
  return first?.focus();
}

const leave = (page) => leaveDialog("form", page.form.isChanged, "The rules stay as they are.");

export const formDialog = (page) =>
  dialogView("form", page.form ? formView(page, page.form) : nothing, () => leave(page));

function formView(page, { start, present, rule }) {
  const names = new Set(valuesOf(start).map(([name]) => name));
  const operations = anyOf(page.operations.map(({ operationId }) => operationId));
  const fieldView = ([name, field]) =>
    controlView(name, name === "operationId" ? { ...field, options: operations } : field);
  const partView = (part, title, foldedTitle) => {
    const all = Object.entries(PARTS[part]);
    const folded = all.filter(([, { isFolded }]) => isFolded);
    return html`
      <fieldset>
        <legend><h3>${title}</h3></legend>
        <div class="fields">${all.filter((each) => !folded.includes(each)).map(fieldView)}</div>
        <details ?hidden=${folded.length === 0} ?open=${folded.some(([name]) => names.has(name))}>
          <summary>${foldedTitle}</summary>
          <div class="fields">${folded.map(fieldView)}</div>
        </details>
      </fieldset>
    `;
  };
  return html`
    <form
      class="stack"
      novalidate
      spellcheck="false"
      autocomplete="off"
      @input=${(event) => input(page, event)}
      @change=${({ target }) => report(target)}
      @submit=${(event) => submit(event, page)}
    >
      <h2 id="form-title">${present ? "Edit the rule" : "Add a rule"}</h2>
      ${partView("which", "Which requests", "Match the query, headers, or body")}
      ${partView("what", "What happens", "Headers, body, patch, redirect, slow body")} ${partView("often", "How often")}
      <div class="foot stack">
        ${fault(page.failed.form)}
        <p class="note" ?hidden=${!rule}>${rule && hasEffect(rule) ? sentence(rule) : NO_EFFECT}</p>
        <div class="line end">
          ${button("Cancel", () => leave(page))}
          <button class="button main">${present ? "Save the rule" : "Add the rule"}</button>
        </div>
      </div>
    </form>
  `;
}

function controlView(name, { label, hint, options, range: [min, max] = [], step = 1, ...field }) {
  const error = `error-${name}`;
  const isText = field.isJson || field.isLong;
  const type = field.isFlag ? "checkbox" : max === undefined ? "text" : "number";
  const kind = field.isFlag ? "" : "field";
  const control = options
    ? select(options, "", { name, error })
    : isText
      ? html`<textarea class="field mono" name=${name} rows="1" aria-describedby=${error}></textarea>`
      : html`<input
          class=${kind}
          type=${type}
          name=${name}
          min=${min}
          max=${max}
          step=${step}
          aria-describedby=${error}
        />`;
  const words = html`<span>${label} ${hint ? html`<code class="quiet small">${hint}</code>` : nothing}</span>`;
  return html`
    <div class=${isText || field.isFlag ? "broad" : ""}>
      <label>${field.isFlag ? [control, " ", words] : [words, control]}</label>
      <p class="fault small" id=${error} hidden></p>
    </div>
  `;
}
