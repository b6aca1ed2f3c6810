import type { Exchange } from "./exchange.ts";
import { Failure } from "./handler.ts";
import type { Call, Endpoint, Handler, Replay, Success } from "./handler.ts";
import { doOnce } from "./idempotency.ts";
import { parseInputs, refusal } from "./inputs.ts";
import { listOf } from "./list.ts";
import { JsonText } from "./operation.ts";
import type { Operation, ReadPage, Viewer } from "./operation.ts";
import { UNCONDITIONAL, entityTag, readPreconditions, statusOfRead } from "./preconditions.ts";
import { respond } from "./respond.ts";

/** The third argument of `implement`: required if and only if the operation is idempotent. */
type ReplayOf<Op extends Operation> = Op extends { readonly idempotent: true }
  ? [replay: Replay<Op>]
  : [replay?: undefined];

/** An endpoint, with what `reuse` needs. */
interface Implemented<Handles, Replays, Here> extends Endpoint<Here> {
  readonly handler: Handles;
  readonly replay: Replays;
}

/**
 * Joins an operation and its handler: parse, handle, show.
 * @typeParam Here what the handler needs besides the services
 * @param replay answers a retry of a request with an idempotency key
 */
function endpointOf<
  const Op extends Operation,
  Handles extends Handler<Op, Here>,
  Replays extends Replay<Op> | undefined,
  Here,
>(operation: Op, handler: Handles, replay: Replays): Implemented<Handles, Replays, Here> {
  return {
    operation,
    handler,
    replay,
    async answer(exchange, services) {
      const { request, params, principal } = exchange;
      const { method, headers, url } = request;
      // The cast: the schemas belong to the operation, so their outputs are the inputs of its handler.
      const call = {
        ...services,
        ...(await parseInputs(operation, request, params)),
        shown: (result: unknown): unknown =>
          JSON.parse(textOf(shownBy(operation, result, { ...services, principal }))),
        basePath: services.storePath + exchange.basePath,
        preconditions: "changed" in operation.errors ? readPreconditions(headers) : UNCONDITIONAL,
        principal,
        method,
        headers,
        url,
      } satisfies Record<keyof Call<Operation>, unknown> as Call<Op> & Here;
      const result = await (replay ? doOnce(operation, call, handler, replay) : handler(call));
      if (result instanceof Failure) throw refusal(operation, result.error, result.details);
      const { status = 200, version } = result;
      const sent = { ...result.headers, ...identity(exchange, operation, result) };
      const isRead = method === "GET" || method === "HEAD";
      // A write checks its preconditions in its statement.
      const outcome =
        operation.etag && version !== undefined && isRead
          ? statusOfRead(call.preconditions, version)
          : 200;
      if (outcome === 412) throw refusal(operation, "changed");
      if (outcome === 304) return respond(exchange, 304, undefined, sent);
      const shown = await show(operation, result.body, call);
      return respond(exchange, status, shown.body, { ...sent, ...shown.headers });
    },
  };
}

/**
 * Implements an operation.
 * @typeParam Here what the handler needs besides the services
 * @param replay answers a retry of a request with an idempotency key
 * @example
 * export const getPetById = implement(contract.getPetById, async ({ params, db }) => {
 *   const stored = await queries.findPet(db, params.petId);
 *   return stored ? success(stored) : fail("missing");
 * });
 */
export const implementFor =
  <Here>() =>
  <
    const Op extends Operation,
    Handles extends Handler<Op, Here>,
    const Replays extends ReplayOf<NoInfer<Op>>,
  >(
    operation: Op,
    handler: Handles,
    ...[replay]: Replays
  ): Implemented<Handles, Replays[0], Here> =>
    endpointOf(operation, handler, replay);

/** `implementFor` handlers that need nothing besides the services. */
export const implement = implementFor<unknown>();

/** Implements an operation with the handler of another, if only schemas, statuses, messages or `show` differ. */
export const reuse = <const Op extends Operation, Handles extends Handler<Op>>(
  operation: Op,
  { handler, replay }: { readonly handler: Handles; readonly replay: ReplayOf<NoInfer<Op>>[0] },
) => endpointOf<Op, Handles, ReplayOf<NoInfer<Op>>[0], unknown>(operation, handler, replay);

/** The headers that identify the resource in the body. */
function identity(
  { basePath, route, services }: Exchange,
  { etag, showsItem }: Operation,
  { version, id }: Success<unknown>,
): Record<string, string> {
  const path = (services?.storePath ?? "") + basePath + (route?.path ?? "");
  return {
    ...(etag && version !== undefined && { ETag: entityTag(version) }),
    ...(showsItem && { "Content-Location": `${path}/${id}` }),
  };
}

/** The body of a success, and its headers. */
async function show(
  operation: Operation,
  result: unknown,
  { query, url, ...viewer }: Viewer & { readonly query: object | undefined; readonly url: string },
): Promise<{ readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }> {
  if (operation.paged) {
    // The handler of such an operation returns this: `Result` in src/http/operation.ts.
    const read = result as ReadPage<{ readonly id: number }>;
    const write = (item: unknown) => textOf(shownBy(operation, item, viewer));
    return listOf(query ?? {}, url, read, write);
  }
  const body = await shownBy(operation, result, viewer);
  const [type] = operation.mediaTypes ?? [];
  return typeof body === "string" && type !== undefined
    ? { body: new JsonText(body), headers: { "Content-Type": `${type}; charset=utf-8` } }
    : { body };
}

/** What the operation shows of a result. */
function shownBy({ show: write }: Operation, result: unknown, viewer: Viewer): unknown {
  // A handler's type ties its result to the `show` of its operation. For any operation, the argument can only be `never`.
  return write ? write(result as never, viewer) : result;
}

const textOf = (content: unknown): string =>
  content instanceof JsonText ? content.text : JSON.stringify(content);
