import { html, nothing } from "../../docs/vendor/lit-html.js";
import { read, send } from "./api.js";
import { fault, panel, select } from "./parts.js";
import { hasEffect, sentence } from "./sentence.js";

/** The rules that make answers fail, and a form for a new one. */
export function rulesPanel(page) {
  const { rules, failed } = page;
  const clearAll = html`
    <button type="button" class="button" ?hidden=${rules.length === 0} @click=${() => removeAll(page)}>
      Remove all
    </button>
  `;
  const content = html`
    <ol id="rules-list">
      ${rules.map((rule, index) => ruleView(page, rule, index))}
    </ol>
    ${fault(failed.rules)}
    <p class="quiet" ?hidden=${rules.length > 0}>No rules. Requests get normal answers.</p>
    <details @toggle=${() => readOperations(page)}>
      <summary>Add a rule</summary>
      ${formView(page)}
    </details>
  `;
  return panel("rules", "Rules", clearAll, content);
}

function ruleView(page, rule, index) {
  const { used, times } = rule;
  return html`
    <li class="rule" id="rule-${index + 1}" tabindex="-1">
      <p>
        <span class="quiet">${index + 1}.</span> ${sentence(rule)}
        <span class="quiet">Used: ${used}${times ? ` of ${times}` : ""}.</span>
      </p>
      <button type="button" class="button" aria-label="Remove rule ${index + 1}" @click=${() => remove(page, rule)}>
        Remove
      </button>
    </li>
  `;
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"];
const BREAKS = [
  ["", "nothing"],
  ["body", "the connection"],
  ["json", "the JSON"],
];
const NO_EFFECT = "Choose a status, headers, a patch, a delay or a break.";

function formView(page) {
  const { draft, refusals, operations } = page;
  /** A control with its label, and why its value was refused. */
  const labelled = (name, label, control) => {
    const id = `${name}-refusal`;
    return html`<div>
      <label class="stack">${label} ${control(name, refusals[name] ? id : nothing)}</label>
      ${fault(refusals[name], id)}
    </div>`;
  };
  const number = (name, label) => labelled(name, label, input("number"));
  const line = (name, label) => labelled(name, label, input("text"));
  const text = (name, label) => labelled(name, label, textarea);
  const choice = (name, label, options) => labelled(name, label, (_, id) => select(name, options, undefined, id));
  return html`
    <form
      class="stack"
      novalidate
      autocomplete="off"
      @input=${(event) => change(event, page)}
      @submit=${(event) => submit(event, page)}
    >
      <fieldset class="fields">
        <legend>For which requests</legend>
        ${choice("operationId", "Operation", anyOf(operations))} ${choice("method", "Method", anyOf(METHODS))}
        ${line("path", "Path, such as /pet/{petId}")} ${number("times", "Times (empty: always)")}
        ${number("every", "Every nth")} ${number("chance", "Chance, 0 to 1")}
      </fieldset>
      <fieldset class="fields">
        <legend>An answer on demand</legend>
        ${number("status", "Status")} ${number("retryAfter", "Retry-After in s")}
        <label class="check"><input type="checkbox" name="after" /> Do the request first</label>
        ${text("body", "Body")}
      </fieldset>
      <fieldset class="fields">
        <legend>Changes to the answer</legend>
        ${number("delayMs", "Delay in ms")} ${choice("break", "Break", BREAKS)}
        ${text("headers", "Headers: “name: value” in each line, or “-name” to remove one")}
        ${text("patch", "Patch: JSON to merge into the body")}
      </fieldset>
      ${
        refusals.rule
          ? fault(refusals.rule, "sentence")
          : html`<p class="note" id="sentence">${hasEffect(draft) ? sentence(draft) : NO_EFFECT}</p>`
      }
      <div><button class="button main" aria-describedby="sentence">Add the rule</button></div>
    </form>
  `;
}

const anyOf = (values) => [["", "any"], ...values.map((value) => [value, value])];

const input = (type) => (name, describedBy) =>
  html`<input class="field" type=${type} step="any" name=${name} aria-describedby=${describedBy} />`;

const textarea = (name, describedBy) =>
  html`<textarea
    class="field mono"
    name=${name}
    rows="2"
    spellcheck="false"
    aria-describedby=${describedBy}
  ></textarea>`;

function change({ target, currentTarget }, page) {
  page.draft = ruleIn(currentTarget).rule;
  delete page.refusals[target.name];
  delete page.refusals.rule;
  page.draw();
}

/** How to read the fields that are neither numbers nor texts. */
const READERS = { after: () => true, headers: headersIn, patch: (text) => JSON.parse(text) };

/** A header in each line. */
function headersIn(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const removed = /^\s*-(\S+)\s*$/.exec(line);
      if (removed) return [removed[1], null];
      const [, name, value] = /^\s*([^\s:]+):(.*)$/.exec(line) ?? [];
      if (!name) throw new Error(`is neither “name: value” nor “-name”: ${line}`);
      return [name, value.trim()];
    }),
  );
}

/** The rule in the form, and what cannot be read. The service validates the rest. */
function ruleIn(form) {
  const rule = {};
  const refusals = {};
  for (const { name, type, value, checked, validity } of form.elements) {
    if (validity.badInput) refusals[name] = "must be a number";
    if (!name || value === "" || (type === "checkbox" && !checked)) continue;
    try {
      rule[name] = (READERS[name] ?? (type === "number" ? Number : String))(value);
    } catch ({ message }) {
      refusals[name] = message;
    }
  }
  return { rule, refusals };
}

/** Adds the rule in the form, or shows beside the fields why not. */
async function submit(event, page) {
  event.preventDefault();
  const form = event.target;
  const { rule, refusals } = ruleIn(form);
  if (Object.keys(refusals).length === 0 && !hasEffect(rule)) refusals.rule = NO_EFFECT;
  if (Object.keys(refusals).length === 0) {
    const error = await addRule(page, "rules", rule);
    if (!error) {
      form.reset();
      page.draft = {};
    }
    // The new rule is the first, so its errors are at paths such as `0.status`.
    for (const { path, message } of error?.errors ?? []) {
      const [, member, ...inner] = path.split(".");
      if (form.elements[member]) refusals[member] = [...inner, message].join(" ");
    }
    if (Object.keys(refusals).length > 0) page.failed = {};
  }
  page.refusals = refusals;
  page.draw();
  [...form.elements].find(({ name }) => name in refusals)?.focus();
}

/** The operations of both interfaces. */
async function readOperations(page) {
  if (page.operations.length > 0) return;
  const { paths } = await read("/v2/openapi.json");
  page.operations = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ operationId }) => operationId ?? []);
  page.draw();
}

/** Adds a rule before the others, so that it wins. */
export const addRule = (page, panelName, rule) =>
  page.act(panelName, "The rule is active.", async () => send("PUT", "/faults", [rule, ...(await read("/faults"))]));

const identityOf = (rule) => JSON.stringify({ ...rule, used: undefined });

/** The number of a rule in a list; 0 if it is not there. */
export const numberOf = (rule, rules) => rules.findIndex((each) => identityOf(each) === identityOf(rule)) + 1;

/** Removes a rule. The others keep their counts. */
const remove = (page, rule) =>
  page.act("rules", "The rule is removed.", async () => {
    const present = await read("/faults");
    const number = numberOf(rule, present);
    if (number > 0) await send("PUT", "/faults", present.toSpliced(number - 1, 1));
  });

const removeAll = (page) => page.act("rules", "The rules are removed.", () => send("DELETE", "/faults"));
