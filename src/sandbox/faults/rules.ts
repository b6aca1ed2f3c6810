import { isFor } from "./aims.ts";
import type { RequestFacts } from "./aims.ts";
import type { FaultRule, FaultState } from "./contract.ts";

/** What a request meets. */
export interface Fault {
  /** What happens to the answer. */
  readonly demand: FaultRule;
  /** In milliseconds: drawn from the rule's range. */
  readonly delayMs: number;
  /** The rule that applies. Unset when `Prefer` caused the fault. */
  readonly rule?: FaultRule;
}

/** A rule as it is kept: it has a seed if it draws. */
export function prepared({ rule, ...counts }: FaultState): FaultState {
  const { chance, delayMs } = rule;
  const [random] = crypto.getRandomValues(new Uint32Array(1));
  const draws = chance !== undefined || typeof delayMs === "object";
  return { ...counts, rule: { ...rule, ...(draws && { seed: rule.seed ?? random }) } };
}

/**
 * Lets a request meet the rules, in order. A rule with `every` or `chance` counts each request that it is for, even if it
 * does not apply.
 * @returns the first rule that applies, if any, and the rules with what they counted
 */
export function meetRules(
  states: readonly FaultState[],
  facts: RequestFacts,
): { readonly fault: Fault | undefined; readonly states: readonly FaultState[] } {
  let counted = states;
  for (const [index, { rule, met, used }] of states.entries()) {
    const { times = Infinity, every = 1, chance = 1, seed = 0 } = rule;
    if (!isFor(rule, facts) || used >= times) continue;
    const applies = (met + 1) % every === 0 && draw(seed, 2 * met) < chance;
    counted = counted.with(index, { rule, met: met + 1, used: used + Number(applies) });
    if (!applies) continue;
    const { delayMs = 0 } = rule;
    const [least, most] = typeof delayMs === "number" ? [delayMs, delayMs] : delayMs;
    const delay = least + Math.floor(draw(seed, 2 * met + 1) * (most - least + 1));
    return { fault: { demand: rule, delayMs: delay, rule }, states: counted };
  }
  return { fault: undefined, states: counted };
}

/**
 * The number at a place in the sequence of a seed, from 0 to below 1: splitmix32
 * (https://github.com/bryc/code/blob/master/jshash/PRNGs.md#splitmix32).
 */
function draw(seed: number, place: number): number {
  let mixed = seed + Math.imul(place + 1, 0x9e3779b9);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}
