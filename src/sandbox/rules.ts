import { unsupportedType } from "../http/body.ts";
import { ApiError, GENERAL_ERRORS, retryAfter } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import { unauthenticated } from "../user/authenticate.ts";
import type { FaultRule } from "./contract.ts";
import { FULL } from "./database.ts";

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

/** Messages of statuses that any operation may have. */
const GENERAL: Readonly<Record<number, string>> = { ...GENERAL_ERRORS, 507: FULL[0] };

/**
 * Answers as a rule demands, with the message and the headers of the service's own answer of that status. Its delay
 * comes later: src/sandbox/object.ts.
 * @throws ApiError if the rule has a status
 */
export async function answerBy(
  { status, after, retryAfter: seconds }: Omit<Effect, "delayMs">,
  operation: Operation | undefined,
  answer: () => Promise<Response>,
): Promise<Response> {
  if (status === undefined) return answer();
  const stated = operation?.errors[status];
  // Only the answer that a read of a range would get knows how much there is.
  const isRange = status === 416 && stated !== undefined;
  const answered = after || isRange ? await headersOf(answer) : new Headers();
  const [, size] = answered.get("Content-Range")?.split("/") ?? [];
  const format = operation?.body && (operation.body.format ?? "json");
  const headers = {
    ...(status === 401 && unauthenticated().details.headers),
    ...(status === 415 && format && unsupportedType(format).details.headers),
    ...(isRange && size !== undefined && { "Content-Range": `bytes */${size}` }),
    ...retryAfter(status, seconds),
  };
  throw new ApiError(status, stated ?? GENERAL[status] ?? "Fault on demand", { headers });
}

/** The headers of an answer that nobody gets. What the request did stays done, also where its answer is an error. */
async function headersOf(answer: () => Promise<Response>): Promise<Headers> {
  try {
    const { body, headers } = await answer();
    await body?.cancel();
    return headers;
  } catch (error) {
    // It may also have broken off.
    return new Headers(error instanceof ApiError ? error.details.headers : {});
  }
}
