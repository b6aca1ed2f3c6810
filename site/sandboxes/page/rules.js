import { html } from "../../docs/vendor/lit-html.js";
import { read, send } from "./api.js";
import { fault, panel } from "./parts.js";
import { fields, hasEffect, ruleIn, sentence } from "./rule.js";

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

const NO_EFFECT = "Choose a status, headers, a patch, a delay or a break.";

function formView(page) {
  const { draft, refusals, operations } = page;
  return html`
    <form
      class="stack"
      novalidate
      autocomplete="off"
      @input=${(event) => change(event, page)}
      @submit=${(event) => submit(event, page)}
    >
      ${fields(refusals, operations)}
      ${
        refusals.rule
          ? fault(refusals.rule, "sentence")
          : html`<p class="note" id="sentence">${hasEffect(draft) ? sentence(draft) : NO_EFFECT}</p>`
      }
      <div><button class="button main" aria-describedby="sentence">Add the rule</button></div>
    </form>
  `;
}

function change({ target, currentTarget }, page) {
  page.draft = ruleIn(currentTarget).rule;
  delete page.refusals[target.name];
  delete page.refusals.rule;
  page.draw();
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
