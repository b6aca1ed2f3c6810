import { ApiError, GENERAL_ERRORS, retryAfter } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import type { FaultRule } from "./contract.ts";

/** The members of a rule: what requests it is for, how often it is used for them, and what it does then. */
type Aim = Pick<FaultRule, "operationId" | "method" | "path">;
type Use = Pick<FaultRule, "times" | "every">;
type Effect = Pick<FaultRule, "delayMs" | "status" | "after" | "retryAfter">;

/** A member that the code below ignores does not compile. */
type Ignored = Exclude<keyof FaultRule, keyof (Aim & Use & Effect)>;
true satisfies [Ignored] extends [never] ? true : Ignored;

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

/**
 * Lets a request meet the rules, in order. A rule with `every` counts each request that it is for, even if it does not
 * apply.
 * @returns the first rule that applies, if any, and the rules with what they counted
 */
export function meet(
  states: readonly FaultState[],
  facts: RequestFacts,
): { readonly rule: FaultRule | undefined; readonly states: readonly FaultState[] } {
  let counted = states;
  for (const [index, { rule, met, used }] of states.entries()) {
    const { times, every = 1 }: Use = rule;
    if (!isFor(rule, facts) || used === times) continue;
    const applies = (met + 1) % every === 0;
    counted = counted.with(index, { rule, met: met + 1, used: used + Number(applies) });
    if (applies) return { rule, states: counted };
  }
  return { rule: undefined, states: counted };
}

function isFor({ operationId, method, path }: Aim, facts: RequestFacts): boolean {
  return (
    (operationId === undefined || operationId === facts.operationId) &&
    (method === undefined || method === facts.method) &&
    (path === undefined || path === facts.path || path === facts.template)
  );
}

/**
 * Answers as a rule demands. Its delay comes later: src/sandbox/object.ts.
 * @throws ApiError if the rule has a status
 */
export async function answerBy(
  { status, after, retryAfter: seconds }: Omit<Effect, "delayMs">,
  operation: Operation | undefined,
  answer: () => Promise<Response>,
): Promise<Response> {
  if (status === undefined) return answer();
  if (after) {
    // What the request did stays done, also where its answer is an error or breaks off.
    await answer()
      .then(async ({ body }) => body?.cancel())
      .catch(() => undefined);
  }
  const general: Readonly<Record<number, string>> = GENERAL_ERRORS;
  const message = operation?.errors[status] ?? general[status] ?? "Fault on demand";
  throw new ApiError(status, message, { headers: retryAfter(status, seconds) });
}
