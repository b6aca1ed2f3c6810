import { read, send } from "../../docs/sandbox.js";
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { hasEffect } from "./explain.js";
import { fault, loading, panel, sentence } from "./parts.js";

/** The rules that make requests fail, and a form for a new one. */
export function rulesPanel(page) {
  const { rules, faults, failed } = page;
  const content = html`
    ${fault(faults.rules)} ${rules || faults.rules ? nothing : loading("The rules are")}
    <ol id="rules">
      ${rules?.map((rule, index) => ruleView(page, rule, index))}
    </ol>
    ${fault(failed.removal)}
    <p class="quiet" ?hidden=${rules?.length !== 0}>No rules. Requests get normal answers.</p>
    <details @toggle=${page.readOperations}>
      <summary>Add a rule</summary>
      ${fault(faults.operations)} ${formView(page)}
    </details>
  `;
  const count = html`<span class="quiet">${rules?.length || nothing}</span>`;
  return panel(page, "rules", "Rules", count, content);
}

const MISSING =
  "Nothing happens yet. Choose a status, a delay, a break, headers, a patch or a speed.";

function formView(page) {
  const { draft, refusals } = page;
  const field = (control) => (name, label, options) =>
    html`
      <div>
        <label
          >${label} ${control(name, refusals[name] ? `${name}-refusal` : nothing, options)}</label
        >
        ${fault(refusals[name], `${name}-refusal`)}
      </div>
    `;
  const [number, line, text, choice] = [input("number"), input("text"), textInput, select].map(
    field,
  );
  return html`
    <form
      class="stack"
      novalidate
      autocomplete="off"
      @input=${(event) => change(event, page)}
      @submit=${(event) => submit(event, page)}
    >
      ${choice("operationId", "Operation", anyOf(page.operations))}
      <div class="fields columns">
        ${number("status", "Status")} ${number("times", "Times (empty: always)")}
        ${number("delayMs", "Delay in ms")}
        <label><input type="checkbox" name="after" /> Do the request first</label>
      </div>
      <details>
        <summary>More</summary>
        <div class="stack">
          <div class="fields columns">
            ${choice("method", "Method", anyOf(METHODS))} ${line("path", "Path below /v2")}
            ${number("chance", "Chance in %")} ${number("seed", "Seed")}
            ${number("every", "Every nth")} ${number("most", "Delay in ms, at most")}
            ${number("retryAfter", "Retry-After in s")}
            ${number("bytesPerSecond", "Bytes per second")} ${choice("break", "Break", BREAKS)}
          </div>
          ${text("headers", "Headers: “name: value” on each line, or “-name” to leave one out")}
          ${text("body", "Body")} ${text("patch", "Patch: JSON to merge into the answer")}
        </div>
      </details>
      ${
        refusals.rule
          ? fault(refusals.rule, "sentence")
          : html`<p id="sentence">${hasEffect(draft) ? sentence(draft) : MISSING}</p>`
      }
      <button class="button main" aria-describedby="sentence">Add the rule</button>
    </form>
  `;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"];
const BREAKS = [
  ["", "nothing"],
  ["body", "the connection"],
  ["json", "the JSON"],
];
const anyOf = (values) => [["", "any"], ...values.map((value) => [value, value])];

const input = (type) => (name, refusal) =>
  html`<input class="field" type=${type} step="any" name=${name} aria-describedby=${refusal} />`;

const textInput = (name, refusal) =>
  html`<textarea
    class="field"
    name=${name}
    rows="2"
    spellcheck="false"
    aria-describedby=${refusal}
  ></textarea>`;

const select = (name, refusal, options) => html`
  <select class="field" name=${name} aria-describedby=${refusal}>
    ${options.map(([value, words]) => html`<option value=${value}>${words}</option>`)}
  </select>
`;

function change({ target, currentTarget }, page) {
  page.draft = ruleIn(currentTarget).rule;
  delete page.refusals[target.name];
  delete page.refusals.rule;
  page.draw();
}

/** How to read the fields whose values are neither numbers nor texts. */
const READERS = {
  after: () => true,
  chance: (percent) => percent / 100,
  headers: headersIn,
  patch: (text) => JSON.parse(text),
};

/** A header on each line. */
function headersIn(text) {
  const headers = new Map();
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    const [, name, value] = /^([^\s:]+):(.*)$/.exec(line) ?? /^-(\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`has neither “name: value” nor “-name” in: ${line}`);
    if (headers.has(name)) throw new Error(`has ${name} twice`);
    headers.set(name, value?.trim() ?? null);
  }
  return Object.fromEntries(headers);
}

/** The rule in the form, and what cannot be read. The service validates the rest. */
function ruleIn(form) {
  const rule = {};
  const refusals = {};
  for (const { name, type, value, checked, validity } of form.elements) {
    if (validity.badInput) refusals[name] = "must be a number";
    if (name === "" || value === "" || (type === "checkbox" && !checked)) continue;
    try {
      rule[name] = (READERS[name] ?? (type === "number" ? Number : String))(value);
    } catch ({ message }) {
      refusals[name] = message;
    }
  }
  const { most, ...members } = rule;
  if (most !== undefined) members.delayMs = [members.delayMs ?? 0, most];
  return { rule: members, refusals };
}

/** Adds the rule in the form, or shows beside the fields why not. */
async function submit(event, page) {
  event.preventDefault();
  const form = event.target;
  const { rule, refusals } = ruleIn(form);
  page.refusals = refusals;
  if (Object.keys(refusals).length === 0) {
    if (hasEffect(rule)) await add(rule, form, page);
    else refusals.rule = MISSING;
  }
  const first = [...form.elements].find(({ name }) => name in refusals);
  const folded = first?.closest("form details");
  if (folded) folded.open = true;
  first?.focus();
  page.draw();
}

async function add(rule, form, page) {
  const error = await page.addRule("form", rule, "The rule is active.");
  if (!error) {
    form.reset();
    page.draft = {};
    return;
  }
  for (const { path, message } of error.errors ?? []) {
    // The new rule is the first.
    const [, name, ...inner] = /^0\.(\w+)\.?(.*)/.exec(path) ?? [];
    if (form.elements[name]) page.refusals[name] = [...inner, message].join(" ").trim();
  }
  if (Object.keys(page.refusals).length === 0) page.refusals.rule = page.failed.form;
}

function ruleView(page, rule, index) {
  const { used, left, times } = rule;
  return html`
    <li id="rule-${index + 1}" class=${left === 0 ? "quiet" : ""} tabindex="-1">
      <p>
        <span class="quiet">${index + 1}.</span> ${sentence(rule)}
        <span class="cut quiet">used ${used}${times ? ` of ${times}` : ""}</span>
      </p>
      <button
        type="button"
        class="small"
        aria-label="Remove rule ${index + 1}"
        @click=${() => remove(page, index)}
      >
        Remove
      </button>
    </li>
  `;
}

const identities = new WeakMap();

/** A rule without its counts, as text. */
function identityOf(rule) {
  if (!identities.has(rule)) {
    identities.set(rule, JSON.stringify({ ...rule, used: 0, met: 0, left: 0 }));
  }
  return identities.get(rule);
}

/** The place of a rule in a list; -1 if it is not there. */
export const placeOf = (rule, rules) =>
  rules.findIndex((each) => identityOf(each) === identityOf(rule));

/** Removes a rule. The others keep their counts. */
const remove = ({ change: act, path, rules }, index) =>
  act("removal", "Rule removed.", async () => {
    const present = await read(`${path}/faults`);
    const at = placeOf(rules[index], present);
    if (at < 0) throw new Error("the rules have changed, and this one is gone");
    await send("PUT", `${path}/faults`, present.toSpliced(at, 1));
  });
