import type { Context } from "hono";
import { acceptOf } from "../../http/body.ts";
import type { App } from "../../http/context.ts";
import { ApiError, GENERAL_ERRORS } from "../../http/errors.ts";
import type { DeclaredError } from "../../http/errors.ts";
import { JsonText } from "../../http/json-text.ts";
import { errorsOfInputs, messagesOf } from "../../http/operation.ts";
import type { Operation } from "../../http/operation.ts";
import { respond } from "../../http/respond.ts";
import { unauthenticated } from "../../user/authenticate.ts";
import { FULL } from "../database.ts";
import { patched } from "./patch.ts";
import type { Patched } from "./patch.ts";
import type { Answer } from "./rules.ts";

/** A request that meets a fault, before it is done. */
interface Pending {
  readonly c: Context<App>;
  readonly operation: Operation | undefined;
  /** Does the request. */
  readonly answer: () => Promise<Response>;
}

/**
 * Answers as a fault demands. What else happens to the answer: src/sandbox/faults/delivery.ts.
 * @throws ApiError if the demand is an error
 */
export async function answerBy(demand: Answer, pending: Pending): Promise<Patched> {
  const { status, patch } = demand;
  if (status !== undefined) {
    return { response: await answerOnDemand({ ...demand, status }, pending), isPatched: false };
  }
  const response = await pending.answer();
  return patch ? patched(pending.c, response, patch) : { response, isPatched: false };
}

/**
 * Answers with a status. An error has the message and the headers of the service's own answer of that status.
 * @throws ApiError for an error
 */
async function answerOnDemand(
  { status, after, retryAfter: seconds, body }: Answer & { readonly status: number },
  { c, operation, answer }: Pending,
): Promise<Response> {
  const stated = operation && messagesOf(operation)[status];
  // Only the answer that a read of a range would get knows how much there is.
  const isRange = status === 416 && stated !== undefined;
  const answered = after || isRange ? await headersOf(answer) : new Headers();
  const [, size] = answered.get("Content-Range")?.split("/") ?? [];
  const text = body === undefined ? undefined : new JsonText(body);
  const headers = {
    ...(status === 401 && unauthenticated().details.headers),
    ...(status === 415 && acceptOf(operation?.body)),
    ...(isRange && size !== undefined && { "Content-Range": `bytes */${size}` }),
    ...(seconds !== undefined && { "Retry-After": String(seconds) }),
    ...(body !== undefined && typeOfText(body)),
  };
  if (status < 400) return respond(c, status, text, headers);
  const [, general] = generalErrors(operation).find(([each]) => each === status) ?? [];
  throw new ApiError([status, stated ?? general ?? "Fault on demand"], {
    headers,
    ...(text && { body: text }),
  });
}

/** The general errors of every request, whatever its inputs. */
const OF_ANY = ["unauthenticated", "wrongMethod", "tooMany", "defect", "unavailable"] as const;

/** The errors that an operation can have without declaring them; `undefined` for an unknown path or method. */
const generalErrors = (operation: Operation | undefined): readonly DeclaredError[] => [
  ...OF_ANY.map((name) => GENERAL_ERRORS[name]),
  [507, FULL[0]],
  ...(operation ? errorsOfInputs(operation) : [GENERAL_ERRORS.unknownPath]),
];

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

const typeOfText = (text: string) => ({
  "Content-Type": `text/${text.startsWith("<") ? "html" : "plain"}; charset=utf-8`,
});
