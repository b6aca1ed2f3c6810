import { acceptOf } from "../../http/body.ts";
import { ApiError, GENERAL_ERRORS } from "../../http/errors.ts";
import type { DeclaredError } from "../../http/errors.ts";
import type { Exchange } from "../../http/exchange.ts";
import { JsonText, errorsOfInputs, messagesOf } from "../../http/operation.ts";
import type { Operation } from "../../http/operation.ts";
import { respond } from "../../http/respond.ts";
import { unauthenticated } from "../../user/authenticate.ts";
import { FULL } from "../database.ts";
import type { FaultRule } from "./contract.ts";
import { patched } from "./patch.ts";
import type { Patched } from "./patch.ts";

/**
 * Answers with the status or the patch of a fault. src/sandbox/faults/delivery.ts does the rest.
 * @param answer does the request
 * @throws ApiError if the fault is an error
 */
export async function answerBy(
  demand: FaultRule,
  exchange: Exchange,
  answer: () => Promise<Response>,
): Promise<Patched> {
  const { status, patch } = demand;
  if (status !== undefined) {
    const response = await answerOnDemand({ ...demand, status }, exchange, answer);
    return { response, isPatched: false };
  }
  const response = await answer();
  return patch ? patched(exchange, response, patch) : { response, isPatched: false };
}

/**
 * Answers with a status. An error has the message and the headers of the service's own answer of that status.
 * @throws ApiError for an error
 */
async function answerOnDemand(
  { status, after, retryAfter: seconds, body }: FaultRule & { readonly status: number },
  exchange: Exchange,
  answer: () => Promise<Response>,
): Promise<Response> {
  const { operation } = exchange;
  const stated = operation && messagesOf(operation)[status];
  // The error names the size of the file, which only the real answer has.
  const isRange = status === 416 && stated !== undefined;
  const answered = after || isRange ? await headersOf(answer) : new Headers();
  const [, size] = answered.get("Content-Range")?.split("/") ?? [];
  const headers = {
    ...(status === 401 && unauthenticated().details.headers),
    ...(status === 415 && acceptOf(operation?.body)),
    ...(isRange && size !== undefined && { "Content-Range": `bytes */${size}` }),
    ...(seconds !== undefined && { "Retry-After": String(seconds) }),
    ...(body !== undefined && typeOfText(body)),
  };
  if (status < 400) {
    return respond(exchange, status, body === undefined ? undefined : new JsonText(body), headers);
  }
  const [, general] = generalErrors(operation).find(([each]) => each === status) ?? [];
  throw new ApiError([status, stated ?? general ?? "Fault on demand"], {
    headers,
    ...(body !== undefined && { text: body }),
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
  const { body, headers } = await answer();
  // Its stream may have failed.
  await body?.cancel().catch(() => undefined);
  return headers;
}

const typeOfText = (text: string) => ({
  "Content-Type": `text/${text.startsWith("<") ? "html" : "plain"}; charset=utf-8`,
});
