// The rules for fault responses, presets for new ones, and how they are changed.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { read, send } from "./api.js";
import { anyOf, button, fault, iconButton, panel, select } from "./components.js";
import { SECRET } from "./replay.js";
import { covers, sentence } from "./rule.js";

/** The most common faults, each as a rule. */
export const PRESETS = [
  { name: "Fail once", hint: "503", rule: { times: 1, status: 503 } },
  { name: "Drop response", hint: "503, performed", rule: { times: 1, status: 503, after: true } },
  { name: "Slow", hint: "3 s late", rule: { delayMs: 3000 } },
  { name: "Rate limit", hint: "429, every third", rule: { every: 3, status: 429, retryAfter: 1 } },
  { name: "Truncate JSON", hint: "half of it", rule: { break: "json" } },
  { name: "Drop connection", hint: "mid-body", rule: { break: "body" } },
  { name: "Missing field", hint: "no id", rule: { patch: { id: null } } },
];

/** The rule of a preset for the next request only. */
export const onlyNext = (rule, operationId) => ({ operationId, ...rule, every: undefined, times: 1 });

/** A rule as text, without its count, and with credentials masked as in the request log. */
const identityOf = (rule) =>
  JSON.stringify(rule, (name, value) =>
    SECRET.test(name.toLowerCase()) ? "***" : name === "used" ? undefined : value,
  );

/** The number of a rule in a list; 0 if it is not there. */
export const numberOf = (rule, rules) => rules.findIndex((each) => identityOf(each) === identityOf(rule)) + 1;

/** Reads the rules and replaces them with what `change` returns. The rules keep their counts. */
const changeRules = (page, panelName, done, change) =>
  page.act(panelName, done, async () => send("PUT", "/faults", change(await read("/faults"))));

/** The index for a new rule: behind those that it would keep from applying, but before those that would keep it from applying. */
function indexFor(rule, rules, operations) {
  const covering = rules.findIndex((each) => covers(each, rule, operations));
  const end = covering < 0 ? rules.length : covering;
  return rules.slice(0, end).findLastIndex((each) => covers(rule, each, operations)) + 1;
}

/** Puts a rule in the place of an existing one, with a count of 0, or adds it. */
export function putRule(page, panelName, rule, present) {
  const index = indexFor(rule, page.rules, page.operations);
  const place = index > 0 ? `, as rule ${index + 1}` : " and comes first";
  const done = `The rule is active${present || page.rules.length === 0 ? "" : place}.`;
  return changeRules(page, panelName, done, (rules) => {
    const number = present ? numberOf(present, rules) : 0;
    return number > 0 ? rules.with(number - 1, rule) : rules.toSpliced(indexFor(rule, rules, page.operations), 0, rule);
  });
}

/** Moves a rule to the place of another one. */
const moveRule = (page, rule, other) =>
  changeRules(page, "rules", "The rule is moved.", (rules) => {
    const [from, to] = [rule, other].map((each) => numberOf(each, rules) - 1);
    return from < 0 || to < 0 ? rules : rules.toSpliced(from, 1).toSpliced(to, 0, rules[from]);
  });

const removeRule = (page, rule) =>
  changeRules(page, "rules", "The rule is removed.", (rules) =>
    rules.filter((_, index) => index + 1 !== numberOf(rule, rules)),
  );

const removeRules = (page) => page.act("rules", "The rules are removed.", () => send("DELETE", "/faults"));

/** Whether a rule was applied as often as it may be. */
const isUsedUp = ({ used, times = Infinity }) => used >= times;

export function rulesPanel(page) {
  const { rules, failed, tab } = page;
  const title = html`Rules <span class="quiet">${rules.length}</span>`;
  const clearAll = rules.length > 0 ? button("Remove all", () => removeRules(page), "ghost") : nothing;
  const [usedUp, active] = [rules.filter(isUsedUp), rules.filter((rule) => !isUsedUp(rule))];
  const listView = (list) => html`
    <ol>
      ${list.map((rule, index) => ruleView(page, rule, list[index - 1], list[index + 1]))}
    </ol>
  `;
  const content = html`
    <details ?open=${rules.length === 0}>
      <summary>Add a rule</summary>
      ${presetsView(page)}
    </details>
    ${fault(failed.rules)} ${listView(active)}
    <details ?hidden=${usedUp.length === 0}>
      <summary class="quiet">${usedUp.length} used up</summary>
      ${listView(usedUp)}
    </details>
    <p class="quiet small" ?hidden=${rules.length > 0}>No rules. Requests get normal responses.</p>
    <p class="quiet small" ?hidden=${rules.length < 2}>For each request, the first rule that applies is used.</p>
  `;
  return panel("rules", title, clearAll, content, tab === "rules");
}

/** Shows a rule and focuses it. */
export function focusRule(id) {
  const element = document.getElementById(id);
  element?.closest("details")?.setAttribute("open", "");
  element?.focus();
}

/** @param before and @param behind the rules above and below it in its list */
function ruleView(page, rule, before, behind) {
  const { rules, operations } = page;
  const { used, ...fields } = rule;
  const number = rules.indexOf(rule) + 1;
  const isOver = isUsedUp(rule);
  /** @param focused what has the focus afterwards, because the button may be removed */
  const act = (icon, words, work, focused) =>
    iconButton(icon, `${words} rule ${number}`, () => work().then(() => focusRule(focused)));
  const move = (icon, words, other) =>
    other && !isOver
      ? act(icon, words, () => moveRule(page, rule, other), `rule-${rules.indexOf(other) + 1}`)
      : nothing;
  const cover = isOver ? 0 : rules.slice(0, number - 1).findIndex((each) => covers(each, rule, operations)) + 1;
  return html`
    <li class="rule" id="rule-${number}" tabindex="-1">
      <p><span class="quiet">${number}.</span> ${sentence(rule)}</p>
      ${cover > 0 ? html`<p class="note rejected">Never applied: rule ${cover} matches the same requests first.</p>` : nothing}
      <div class="line apart">
        <span class="small quiet">
          ${isOver ? "Used up:" : "Applied:"} ${used}${fields.times === undefined ? "" : ` of ${fields.times}`}
        </span>
        <span class="line">
          ${move("up", "Move up", before)} ${move("down", "Move down", behind)}
          ${isOver ? act("again", "Again", () => putRule(page, "rules", fields, rule), `rule-${number}`) : nothing}
          ${iconButton("edit", `Edit rule ${number}`, () => page.openForm(fields, rule))}
          ${act("close", "Remove", () => removeRule(page, rule), "rules-title")}
        </span>
      </div>
    </li>
  `;
}

function presetsView(page) {
  const change = ({ target }) => page.set({ scope: target.value });
  const ofScope = (rule) => (page.scope ? { operationId: page.scope, ...rule } : rule);
  const operationIds = page.operations.map(({ operationId }) => operationId);
  const add = async (rule) => {
    const index = indexFor(rule, page.rules, page.operations);
    // The first rule folds the presets, and with them the button that had the focus.
    if (!(await putRule(page, "rules", rule))) focusRule(`rule-${index + 1}`);
  };
  return html`<div class="stack">
    <label class="line">For ${select(anyOf(operationIds, "all requests"), page.scope, { change })}</label>
    <ul class="presets">
      ${PRESETS.map(({ name, hint, rule }) => preset(name, hint, () => add(ofScope(rule))))}
      ${preset("Custom rule…", "in a form", () => page.openForm(ofScope({})))}
    </ul>
  </div>`;
}

const preset = (name, hint, click) => html`
  <li>${button(html`${name}<span class="quiet small">${hint}</span>`, click, "ghost line")}</li>
`;

/** Reads the operations of both APIs: those of Petstore 3 are among those of Petstore 2. */
export async function readOperations(page) {
  const { paths } = await read("/v2/openapi.json");
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]) =>
      operationId ? { operationId, method: method.toUpperCase(), path } : [],
    ),
  );
  // No document has the MCP requests, and no rule can name their path.
  page.operations = [...documented, ...["mcp", "manageMcp"].map((operationId) => ({ operationId, method: "POST" }))];
  page.draw();
}
