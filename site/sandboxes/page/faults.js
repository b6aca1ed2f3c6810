import { read, send } from "./api.js";
import { SECRET } from "./curl.js";

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

/** Puts a rule in the place of an existing one, with a count of 0, or before all others, so that it applies first. */
export function putRule(page, panelName, rule, present) {
  const isFirst = !present && page.rules.length > 0;
  return changeRules(page, panelName, `The rule is active${isFirst ? " and comes first" : ""}.`, (rules) => {
    const number = present ? numberOf(present, rules) : 0;
    return number > 0 ? rules.with(number - 1, rule) : [rule, ...rules];
  });
}

/** Moves a rule up (-1) or down (1). */
export const moveRule = (page, rule, step) =>
  changeRules(page, "rules", "The rule is moved.", (rules) => {
    const index = numberOf(rule, rules) - 1;
    return index < 0 ? rules : rules.toSpliced(index, 1).toSpliced(index + step, 0, rules[index]);
  });

export const removeRule = (page, rule) =>
  changeRules(page, "rules", "The rule is removed.", (rules) => {
    const number = numberOf(rule, rules);
    return number > 0 ? rules.toSpliced(number - 1, 1) : rules;
  });

export const removeRules = (page) => page.act("rules", "The rules are removed.", () => send("DELETE", "/faults"));

/** Whether a rule is selected for each request that it matches. */
const isUnlimited = ({ times, every = 1, chance = 1, match = {} }) =>
  times === undefined && every === 1 && chance === 1 && Object.values(match).every((each) => isEmpty(each));

const isEmpty = (value) => typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** Whether a path as in the documents, such as `/pet/{petId}`, matches a literal path that is not itself in the documents. */
const isTemplateOf = (template, path, operations) =>
  !operations.some((each) => each.path === path) &&
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);

/** Whether a rule matches every request that another one matches. If in doubt, it does not. */
function includes(wide, narrow, operations) {
  const operation = operations.find(({ operationId }) => operationId === narrow.operationId) ?? narrow;
  const isMethod =
    [undefined, narrow.method, operation.method].includes(wide.method) ||
    (wide.method === "GET" && narrow.method === "HEAD");
  const isPath =
    [undefined, narrow.path, operation.path].includes(wide.path) ||
    (narrow.path !== undefined && isTemplateOf(wide.path, narrow.path, operations));
  return [undefined, narrow.operationId].includes(wide.operationId) && isMethod && isPath;
}

/** The number of the earlier rule because of which a rule never applies; 0 if there is none. */
export const coveredBy = (rules, index, operations) =>
  rules.slice(0, index).findIndex((each) => isUnlimited(each) && includes(each, rules[index], operations)) + 1;
