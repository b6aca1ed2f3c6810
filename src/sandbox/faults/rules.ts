import { getPath } from "hono/utils/url";
import { acceptOf } from "../../http/body.ts";
import { ApiError, GENERAL_ERRORS } from "../../http/errors.ts";
import type { DeclaredError } from "../../http/errors.ts";
import { BY_CLIENT } from "../../http/respond.ts";
import { JsonText } from "../../http/json-text.ts";
import { messagesOf } from "../../http/operation.ts";
import type { Operation } from "../../http/operation.ts";
import { unauthenticated } from "../../user/authenticate.ts";
import { FULL } from "../database.ts";
import type { FaultRule, FaultState } from "./contract.ts";

/** The members of a rule: which requests it is for, how often it is used, and what it does. */
export type Aim = Pick<FaultRule, "operationId" | "method" | "path">;
type Use = Pick<FaultRule, "times" | "every" | "chance" | "seed">;
type Answer = Pick<FaultRule, "status" | "after" | "retryAfter" | "body">;
/** How the answer is delivered: src/sandbox/faults/delivery.ts. */
type Way = Pick<FaultRule, "delayMs" | "break">;

/** A member that the code below ignores does not compile. */
type Ignored = Exclude<keyof FaultRule, keyof (Aim & Use & Answer & Way)>;
true satisfies [Ignored] extends [never] ? true : `say above what a rule does with ${Ignored}`;

/** What a request meets. */
export interface Fault {
  /** What happens to the answer. */
  readonly demand: Answer & Pick<Way, "break">;
  /** In milliseconds: drawn from the rule's range. */
  readonly delayMs: number;
  /** The rule that applies. Unset when `Prefer` caused the fault. */
  readonly rule?: FaultRule;
}

/** What rules look at in a request. */
export interface RequestFacts {
  readonly operationId: string | undefined;
  readonly method: string;
  /** Below the base path. */
  readonly path: string;
  /** The same with the names of the parameters: `/pet/{petId}`. */
  readonly template: string;
}

/** A rule as it is kept: it has a seed if it draws. */
export function prepared({ rule, ...counts }: FaultState): FaultState {
  const { chance, delayMs } = rule;
  const [random] = crypto.getRandomValues(new Uint32Array(1));
  const draws = chance !== undefined || typeof delayMs === "object";
  return { ...counts, rule: { ...rule, ...(draws && { seed: rule.seed ?? random }) } };
}

/** A path of a rule as the router reads one of a request. */
export const routedPath = (path: string): string =>
  // Most paths have neither an escape nor a dot segment.
  /^[\w/{}-]*$/.test(path) ? path : getPath(new Request(`http://sandbox${path}`));

/**
 * Lets a request meet the rules, in order. A rule with `every` or `chance` counts each request that it is for, even if it
 * does not apply.
 * @returns the first rule that applies, if any, and the rules with what they counted
 */
export function meet(
  states: readonly FaultState[],
  facts: RequestFacts,
): { readonly fault: Fault | undefined; readonly states: readonly FaultState[] } {
  let counted = states;
  for (const [index, { rule, met, used }] of states.entries()) {
    const { times = Infinity, every = 1, chance = 1, seed = 0 }: Use = rule;
    if (!isFor(rule, facts) || used >= times) continue;
    const applies = (met + 1) % every === 0 && draw(seed, 2 * met) < chance;
    counted = counted.with(index, { rule, met: met + 1, used: used + Number(applies) });
    if (!applies) continue;
    const { delayMs = 0 }: Way = rule;
    const [least, most] = typeof delayMs === "number" ? [delayMs, delayMs] : delayMs;
    const delay = least + Math.floor(draw(seed, 2 * met + 1) * (most - least + 1));
    return { fault: { demand: rule, delayMs: delay, rule }, states: counted };
  }
  return { fault: undefined, states: counted };
}

function isFor({ operationId, method, path }: Aim, facts: RequestFacts): boolean {
  return (
    (operationId === undefined || operationId === facts.operationId) &&
    (method === undefined || method === facts.method) &&
    (path === undefined || [facts.path, facts.template].includes(routedPath(path)))
  );
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

/** The errors that an operation can have without declaring them; `undefined` for an unknown path or method. */
function generalErrors(operation: Operation | undefined): readonly DeclaredError[] {
  const { unknownPath, tooLarge, unsupportedType, invalidKey, reusedKey, ...any } = GENERAL_ERRORS;
  return [
    ...Object.values(any),
    [507, FULL[0]],
    ...(operation ? [] : [unknownPath]),
    ...(operation?.body ? [tooLarge, unsupportedType] : []),
    ...(operation?.idempotent ? [invalidKey, reusedKey] : []),
  ];
}

/**
 * Answers as a rule demands, with the message and the headers of the service's own answer of that status. It is delayed and
 * broken later: src/sandbox/faults/delivery.ts.
 * @throws ApiError if the rule has a status
 */
export async function answerBy(
  { status, after, retryAfter: seconds, body: text }: Answer,
  operation: Operation | undefined,
  answer: () => Promise<Response>,
): Promise<Response> {
  if (status === undefined) return answer();
  const stated = operation && messagesOf(operation)[status];
  // Only the answer that a read of a range would get knows how much there is.
  const isRange = status === 416 && stated !== undefined;
  const answered = after || isRange ? await headersOf(answer) : new Headers();
  const [, size] = answered.get("Content-Range")?.split("/") ?? [];
  const headers = {
    ...(status === 401 && unauthenticated().details.headers),
    ...(status === 415 && acceptOf(operation?.body)),
    ...(isRange && size !== undefined && { "Content-Range": `bytes */${size}` }),
    ...(seconds !== undefined && { "Retry-After": String(seconds) }),
    ...(text !== undefined && headersOfText(text)),
  };
  const [, general] = generalErrors(operation).find(([each]) => each === status) ?? [];
  throw new ApiError([status, stated ?? general ?? "Fault on demand"], {
    headers,
    ...(text !== undefined && { body: new JsonText(text) }),
  });
}

/** The headers of an answer that is not sent. What the request did stays done, even if it is an error. */
async function headersOf(answer: () => Promise<Response>): Promise<Headers> {
  try {
    const { body, headers } = await answer();
    await body?.cancel();
    return headers;
  } catch (error) {
    // Its stream may have failed.
    return new Headers(error instanceof ApiError ? error.details.headers : {});
  }
}

const headersOfText = (text: string) => ({
  ...BY_CLIENT,
  "Content-Type": `text/${text.startsWith("<") ? "html" : "plain"}; charset=utf-8`,
});
