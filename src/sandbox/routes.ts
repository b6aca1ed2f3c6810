import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { Hono } from "hono/tiny";
import * as v from "valibot";
import { retry } from "../db/retry.ts";
import { orders, pets, users } from "../db/schema.ts";
import { FORBIDDEN } from "../http/access.ts";
import { urlOf } from "../http/address.ts";
import { json } from "../http/body.ts";
import { ApiError } from "../http/errors.ts";
import { LARGE_BODY } from "../http/read-body.ts";
import { NotArray, SingleValue, strictObject } from "../http/schemas.ts";
import { valid } from "../http/validate.ts";
import { later } from "../middleware/log.ts";
import { Data, INVALID_DATA, MAX_BODY_BYTES, readData, replaceData } from "./data.ts";
import type { SandboxEnv } from "./env.ts";
import { createOrExtend, existing } from "./lifetime.ts";
import type { Operations } from "./operations.ts";
import type { Filter, LogEntry } from "./request-log.ts";
import { Printable } from "./rule-headers.ts";
import { rulesSchema } from "./rules.ts";
import { endSessions } from "./storage.ts";

const ApiKey = v.pipe(Printable, v.minLength(16, "must have at least 16 characters"));

const OpenAccess = strictObject(
  { access: v.literal("open", "must be open or protected") },
  "is not a field of open access",
);
const ProtectedAccess = strictObject({ access: v.literal("protected"), apiKey: ApiKey });

const Access = v.pipe(
  NotArray,
  v.lazy((input) => ((input as { access?: unknown })?.access === "protected" ? ProtectedAccess : OpenAccess)),
);

const parameter = (pattern: RegExp, message: string) => v.pipe(SingleValue, v.regex(pattern, message));

const number = (pattern: RegExp, message: string) => v.pipe(parameter(pattern, message), v.transform(Number));

const querySchema = ({ ids }: Operations) =>
  strictObject(
    {
      operationId: v.optional(v.pipe(SingleValue, v.picklist(ids, "is not an operation"))),
      status: v.optional(parameter(/^[1-5](?:\d\d|xx)$/, "must be a status such as 503, or 5xx")),
      after: v.optional(number(/^\d{1,15}$/, "must be the ID of a request"), ["0"]),
      limit: v.optional(number(/^[1-9]\d{0,8}$/, "must be an integer from 1")),
      wait: v.optional(number(/^(?:[12]?\d|30)$/, "must be an integer from 0 to 30"), ["0"]),
    },
    "is not a parameter",
  );

type Query = v.InferOutput<ReturnType<typeof querySchema>>;

/** Validates the query of the request log. An unknown parameter would make a test for "nothing was sent" pass. */
const logQuery = (operations: Operations) => {
  const schema = querySchema(operations);
  return createMiddleware<SandboxEnv, string, { out: { query: Query } }>(async (c, next) => {
    // Not `queries()`, which loses names such as `constructor`.
    const values = Map.groupBy(new URL(c.req.url).searchParams, ([name]) => name);
    const input = Object.fromEntries(Array.from(values, ([name, pairs]) => [name, pairs.map(([, value]) => value)]));
    c.req.addValidatedData("query", valid(schema, input, [400, "Invalid query"], "query"));
    await next();
  });
};

const filterOf =
  ({ operationId, status = "", after }: Query): Filter =>
  (entry) =>
    entry.id > after &&
    (operationId ?? entry.operationId) === entry.operationId &&
    String(entry.status).startsWith(status.replace("xx", ""));

/** Returns the logged requests that match a query. If there are none, waits for the first one. */
async function findRequests(c: Context<SandboxEnv>, query: Query): Promise<LogEntry[]> {
  const { requests } = c.get("sandbox");
  const filter = filterOf(query);
  const found = requests.list(filter);
  if (found.length > 0 || query.wait === 0) return found.slice(0, query.limit);
  const client = c.req.raw.signal;
  try {
    await requests.waitFor(filter, query.wait * 1000, AbortSignal.any([c.get("signal"), client]));
  } catch (error) {
    // The client hung up.
    if (client.aborted) return [];
    throw error;
  }
  return requests.list(filter).slice(0, query.limit);
}

/** Returns a sandbox's name and URLs. */
export const placeOf = (name: string, url: string) => ({
  name,
  url: `${url}/v2`,
  petstore3Url: `${url}/api/v3`,
  page: `${url}/`,
});

/** The routes that manage a sandbox, below its path. */
export const sandboxRoutes = (operations: Operations) =>
  new Hono<SandboxEnv>()
    .get("/", existing, async (c) => {
      const db = c.get("db");
      const count = async (table: typeof pets | typeof orders | typeof users) => retry(() => db.$count(table));
      return c.json({
        ...placeOf(c.req.param("sandbox") ?? "", urlOf(c, "").href),
        expiresAt: new Date(c.get("sandbox").expiresAt ?? 0).toISOString(),
        pets: await count(pets),
        orders: await count(orders),
        users: await count(users),
      });
    })
    .delete("/", existing, async (c) => {
      const sandbox = c.get("sandbox");
      // Unlike other requests in flight, this one gets its own response, even if the deletion fails.
      await sandbox.delete().finally(() => c.set("signal", sandbox.signal));
      return c.body(null, 204);
    })
    .get("/data", existing, async (c) => c.json(await readData(c.get("db"), c.get("settings").passwordKeys)))
    .put("/data", json(Data, INVALID_DATA, { limit: MAX_BODY_BYTES }), createOrExtend, async (c) => {
      const sandbox = c.get("sandbox");
      await replaceData(c.get("db"), c.req.valid("json"), c.get("settings").passwordKeys);
      sandbox.requests.clear();
      endSessions(sandbox.storage);
      later(c, sandbox.deleteFiles());
      return c.body(null, 204);
    })
    .get("/access", existing, (c) => c.json({ access: c.get("sandbox").access.access }))
    .put("/access", json(Access, [400, "Invalid access"]), createOrExtend, (c) => {
      c.get("sandbox").access = c.req.valid("json");
      return c.body(null, 204);
    })
    .get("/faults", existing, (c) => c.json(c.get("sandbox").rules.map(({ rule, used }) => ({ ...rule, used }))))
    .put(
      "/faults",
      json(rulesSchema(operations), [400, "Invalid rules"], { limit: LARGE_BODY }),
      createOrExtend,
      (c) => {
        c.get("sandbox").rules = c.req.valid("json").map(({ used, ...rule }) => ({ rule, used, matched: 0 }));
        return c.body(null, 204);
      },
    )
    .delete("/faults", existing, (c) => {
      c.get("sandbox").rules = [];
      return c.body(null, 204);
    })
    .get("/requests", existing, logQuery(operations), async (c) => {
      const { origin } = urlOf(c, "");
      // Any page can open a WebSocket.
      if ((c.req.header("Origin") ?? origin) !== origin) throw new ApiError(FORBIDDEN);
      if (c.req.header("Upgrade")?.toLowerCase() === "websocket") return c.get("sandbox").requests.watch();
      return c.json(await findRequests(c, c.req.valid("query")));
    })
    .delete("/requests", existing, (c) => {
      c.get("sandbox").requests.clear();
      return c.body(null, 204);
    });
