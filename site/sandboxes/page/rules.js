import { html, nothing } from "../../docs/vendor/lit-html.js";
import { read } from "./api.js";
import { PRESETS, putRule, removeRule, removeRules } from "./faults.js";
import { openForm } from "./form.js";
import { anyOf, button, fault, panel, select } from "./parts.js";
import { sentence } from "./rule.js";

/** The rules that make answers wrong, and presets for new ones. */
export function rulesPanel(page) {
  const { rules, failed } = page;
  const clearAll = rules.length > 0 ? button("Remove all", () => removeRules(page)) : nothing;
  const content = html`
    <ol id="rules-list">
      ${rules.map((rule, index) => ruleView(page, rule, index))}
    </ol>
    ${fault(failed.rules)}
    <p class="quiet" ?hidden=${rules.length > 0}>No rules. Requests get normal answers.</p>
    ${presetsView(page)}
  `;
  return panel("rules", "Rules", clearAll, content, page.tab === "rules");
}

/** Whether a rule was applied as often as it may be. */
const isUsedUp = ({ used, times = Infinity }) => used >= times;

function ruleView(page, rule, index) {
  const { used, times } = rule;
  const { used: _, ...members } = rule;
  const number = index + 1;
  const act = (words, click) => button(words, click, "", `${words} rule ${number}`);
  const again = () => putRule(page, "rules", members, rule);
  return html`
    <li class="rule stack ${isUsedUp(rule) ? "over" : ""}" id="rule-${number}" tabindex="-1">
      <p><span class="quiet">${number}.</span> ${sentence(rule)}</p>
      <div class="line apart">
        <span class="mark">
          ${isUsedUp(rule) ? "Used up:" : "Used:"} ${used}${times === undefined ? "" : ` of ${times}`}
        </span>
        <span class="line">
          ${isUsedUp(rule) ? act("Again", again) : nothing} ${act("Edit", () => openForm(page, members, rule))}
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
  return html`
    <label class="line fixed">
      Add a rule for ${select(anyOf(page.operations, "all requests"), page.scope, { change: choose })}
    </label>
    <ul class="presets">
      ${PRESETS.map(({ name, hint, rule }) => preset(name, hint, () => putRule(page, "rules", ofScope(rule))))}
      ${preset("Your own rule", "in a form", () => openForm(page, ofScope({})))}
    </ul>
  `;
}

const preset = (name, hint, click) => html`
  <li>${button(html`<b>${name}</b><br /><span class="quiet">${hint}</span>`, click)}</li>
`;

/** Reads the operations of both interfaces. */
export async function readOperations(page) {
  const { paths } = await read("/v2/openapi.json");
  page.operations = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ operationId }) => operationId ?? []);
  page.draw();
}

async function remove(page, rule) {
  await removeRule(page, rule);
  // The button that had the focus is gone.
  document.getElementById("rules-title").focus();
}
