import { read, send } from "./api.js";

/** What goes wrong most often, each as a rule. */
export const PRESETS = [
  { name: "Fail once", hint: "503", rule: { times: 1, status: 503 } },
  { name: "Lose the answer", hint: "503, work done", rule: { times: 1, status: 503, after: true } },
  { name: "Slow", hint: "3 s late", rule: { delayMs: 3000 } },
  { name: "Rate limit", hint: "429, every third", rule: { every: 3, status: 429, retryAfter: 1 } },
  { name: "Truncate JSON", hint: "half of it", rule: { break: "json" } },
  { name: "Drop connection", hint: "mid-body", rule: { break: "body" } },
  { name: "Missing member", hint: "no id", rule: { patch: { id: null } } },
];

/** The rule of a preset for the next request only. */
export const onlyNext = (rule, operationId) => ({ operationId, ...rule, every: undefined, times: 1 });

const identityOf = (rule) => JSON.stringify({ ...rule, used: undefined });

/** The number of a rule in a list; 0 if it is not there. */
export const numberOf = (rule, rules) => rules.findIndex((each) => identityOf(each) === identityOf(rule)) + 1;

/** Puts a rule in the place of one that is present, where it counts from 0, or before all others, so that it wins. */
export const putRule = (page, panelName, rule, present) =>
  page.act(panelName, "The rule is active.", async () => {
    const rules = await read("/faults");
    const number = present ? numberOf(present, rules) : 0;
    const others = number > 0 ? rules.toSpliced(number - 1, 1) : rules;
    const index = Math.max(number - 1, 0);
    await send("PUT", "/faults", others.toSpliced(index, 0, rule));
  });

/** Removes a rule. The others keep their counts. */
export const removeRule = (page, rule) =>
  page.act("rules", "The rule is removed.", async () => {
    const present = await read("/faults");
    const number = numberOf(rule, present);
    if (number > 0) await send("PUT", "/faults", present.toSpliced(number - 1, 1));
  });

export const removeRules = (page) => page.act("rules", "The rules are removed.", () => send("DELETE", "/faults"));
