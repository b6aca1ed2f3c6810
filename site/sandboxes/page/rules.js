import { html, nothing } from "../../docs/vendor/lit-html.js";
import { read } from "./api.js";
import { PRESETS, coveredBy, moveRule, putRule, removeRule, removeRules } from "./faults.js";
import { openForm } from "./form.js";
import { anyOf, button, fault, panel, select } from "./parts.js";
import { sentence } from "./rule.js";

/** The rules for fault responses, and presets for new ones. */
export function rulesPanel(page) {
  const { rules, failed } = page;
  const clearAll = rules.length > 0 ? button("Remove all", () => removeRules(page)) : nothing;
  const words = [
    "No rules. Requests get normal responses.",
    "",
    "For each request, the first rule that applies is used.",
  ];
  const content = html`
    ${presetsView(page)} ${fault(failed.rules)}
    <p class="quiet" ?hidden=${rules.length === 1}>${words[Math.min(rules.length, 2)]}</p>
    <ol id="rules-list">
      ${rules.map((rule, index) => ruleView(page, rule, index))}
    </ol>
  `;
  return panel("rules", "Rules", clearAll, content, page.tab === "rules");
}

/** Whether a rule was applied as often as it may be. */
const isUsedUp = ({ used, times = Infinity }) => used >= times;

function ruleView(page, rule, index) {
  const { rules, operations } = page;
  const { used, ...fields } = rule;
  const number = index + 1;
  const act = (words, click, label = words) => button(words, click, "", `${label} rule ${number}`);
  const again = () => putRule(page, "rules", fields, rule);
  const move = async (step) => {
    await moveRule(page, rule, step);
    document.getElementById(`rule-${number + step}`)?.focus();
  };
  const cover = isUsedUp(rule) ? 0 : coveredBy(rules, index, operations);
  return html`
    <li class="rule stack ${isUsedUp(rule) ? "over" : ""}" id="rule-${number}" tabindex="-1">
      <p><span class="quiet">${number}.</span> ${sentence(rule)}</p>
      ${cover > 0 ? html`<p class="note rejected">Never applied: rule ${cover} matches the same requests first.</p>` : nothing}
      <div class="line apart">
        <span class="mark">
          ${isUsedUp(rule) ? "Used up:" : "Applied:"} ${used}${fields.times === undefined ? "" : ` of ${fields.times}`}
        </span>
        <span class="line tight">
          ${index > 0 ? act("↑", () => move(-1), "Move up") : nothing}
          ${number < rules.length ? act("↓", () => move(1), "Move down") : nothing}
          ${isUsedUp(rule) ? act("Again", again) : nothing} ${act("Edit", () => openForm(page, fields, rule))}
          ${act("Remove", () => remove(page, rule))}
        </span>
      </div>
    </li>
  `;
}

function presetsView(page) {
  const choose = ({ target }) => {
    page.scope = target.value;
    page.draw();
  };
  const ofScope = (rule) => (page.scope ? { operationId: page.scope, ...rule } : rule);
  const operationIds = page.operations.map(({ operationId }) => operationId);
  return html`
    <label class="line fixed">
      Add a rule for ${select(anyOf(operationIds, "all requests"), page.scope, { change: choose })}
    </label>
    <ul class="presets">
      ${PRESETS.map(({ name, hint, rule }) => preset(name, hint, () => putRule(page, "rules", ofScope(rule))))}
      ${preset("Custom rule…", "in a form", () => openForm(page, ofScope({})))}
    </ul>
  `;
}

const preset = (name, hint, click) => html`
  <li>${button(html`<b>${name}</b><br /><span class="quiet">${hint}</span>`, click)}</li>
`;

/** Reads the operations of both APIs: those of Petstore 3 are among those of Petstore 2. */
export async function readOperations(page) {
  const { paths } = await read("/v2/openapi.json");
  page.operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId }]) =>
      operationId ? { operationId, method: method.toUpperCase(), path } : [],
    ),
  );
  page.draw();
}

async function remove(page, rule) {
  await removeRule(page, rule);
  // The button that had the focus is removed.
  document.getElementById("rules-title").focus();
}
