import type { FaultRule } from "./contract.ts";

/** A rule and how often requests met it. */
export interface FaultState {
  readonly rule: FaultRule;
  /** How many requests the rule was for. */
  readonly met: number;
  /** How many of these requests the rule was used for. */
  readonly used: number;
}

/** What rules look at in a request. */
export interface RequestFacts {
  readonly operationId: string | undefined;
  readonly method: string;
  /** Below the base path. */
  readonly path: string;
  /** The same with the names of the parameters: `/pet/{petId}`. */
  readonly template: string | undefined;
}

/** The rules of a store, in order. */
export class FaultRules {
  #states: readonly FaultState[];

  constructor(states: readonly FaultState[]) {
    this.#states = states;
  }

  get states(): readonly FaultState[] {
    return this.#states;
  }

  /**
   * The first rule that applies to a request, or `undefined`. The rule counts one more use. A rule with `every` counts
   * each request that it is for, even if it does not apply.
   */
  next(facts: RequestFacts): FaultRule | undefined {
    for (const [index, state] of this.#states.entries()) {
      const { rule, met, used } = state;
      if (!isFor(rule, facts) || used === rule.times) continue;
      const applies = (met + 1) % (rule.every ?? 1) === 0;
      this.#states = this.#states.with(index, { rule, met: met + 1, used: used + Number(applies) });
      if (applies) return rule;
    }
    return undefined;
  }
}

function isFor({ operationId, method, path }: FaultRule, facts: RequestFacts): boolean {
  return (
    (operationId === undefined || operationId === facts.operationId) &&
    (method === undefined || method === facts.method) &&
    (path === undefined || path === facts.path || path === facts.template)
  );
}
