import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import * as v from "valibot";
import { urlOf } from "../http/address.ts";
import { retry } from "../db/retry.ts";
import { orders, pets, users } from "../db/schema.ts";
import { ApiError } from "../http/errors.ts";
import { FORBIDDEN } from "../http/access.ts";
import { later } from "../middleware/log.ts";
import { valid } from "../http/validate.ts";
import { json } from "../http/body.ts";
import { LARGE_BODY } from "../http/read-body.ts";
import { NotArray, SingleValue, expected } from "../http/schemas.ts";
import type { SandboxEnv } from "./env.ts";
import { Data, INVALID_DATA, MAX_BODY_BYTES, only, readData, replaceData } from "./data.ts";
import { existing, makeOrProlong } from "./lifetime.ts";
import { OPERATION_IDS, Printable, Rules } from "./rules.ts";
import { endSessions } from "./stores.ts";

const ApiKey = v.pipe(Printable, v.minLength(16, "must have at least 16 characters"));

const Access = v.pipe(
  NotArray,
  v.variant(
    "access",
    [
      v.object({ access: v.literal("open") }),
      v.object({ access: v.literal("protected"), apiKey: ApiKey }, expected("an object")),
    ],
    "must be open or protected",
  ),
);

const parameter = (pattern: RegExp, message: string) => v.pipe(SingleValue, v.regex(pattern, message));

const Filter = only(
  {
    operationId: v.optional(v.pipe(SingleValue, v.picklist(OPERATION_IDS, "is not an operation"))),
    status: v.optional(parameter(/^[1-5](?:\d\d|xx)$/, "must be a status such as 503, or 5xx")),
    after: v.optional(v.pipe(parameter(/^\d{1,15}$/, "must be the id of a request"), v.transform(Number)), ["0"]),
    limit: v.optional(v.pipe(parameter(/^[1-9]\d{0,8}$/, "must be an integer from 1"), v.transform(Number))),
  },
  "is not a parameter",
);

/** Validates the query of the record. A parameter that is unknown would make a test for "nothing was sent" pass. */
const filter = createMiddleware<SandboxEnv, string, { out: { query: v.InferOutput<typeof Filter> } }>(
  async (c, next) => {
    // Not `queries()`, which loses names such as `constructor`.
    const values = Map.groupBy(new URL(c.req.url).searchParams, ([name]) => name);
    const input = Object.fromEntries(Array.from(values, ([name, pairs]) => [name, pairs.map(([, value]) => value)]));
    c.req.addValidatedData("query", valid(Filter, input, [400, "Invalid query"], "query"));
    await next();
  },
);

/** The name of a sandbox and the URLs below its own. */
export const placeOf = (name: string, url: string) => ({
  name,
  url: `${url}/v2`,
  petstore3Url: `${url}/api/v3`,
  page: `${url}/`,
});

/** What manages a sandbox, below its path. */
export const sandboxRoutes = new Hono<SandboxEnv>()
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
    // Unlike other requests in flight, this one is answered, also if the deletion fails.
    await sandbox.delete().finally(() => c.set("signal", sandbox.signal));
    return c.body(null, 204);
  })
  .get("/data", existing, async (c) => c.json(await readData(c.get("db"), c.get("settings").passwordKeys)))
  .put("/data", json(Data, INVALID_DATA, { limit: MAX_BODY_BYTES }), makeOrProlong, async (c) => {
    const sandbox = c.get("sandbox");
    await replaceData(c.get("db"), c.req.valid("json"), c.get("settings").passwordKeys);
    sandbox.requests.clear();
    endSessions(sandbox.storage);
    later(c, sandbox.deleteFiles());
    return c.body(null, 204);
  })
  .get("/access", existing, (c) => c.json({ access: c.get("sandbox").access.access }))
  .put("/access", json(Access, [400, "Invalid access"]), makeOrProlong, (c) => {
    c.get("sandbox").access = c.req.valid("json");
    return c.body(null, 204);
  })
  .get("/faults", existing, (c) => c.json(c.get("sandbox").rules.map(({ rule, used }) => ({ ...rule, used }))))
  .put("/faults", json(Rules, [400, "Invalid rules"], { limit: LARGE_BODY }), makeOrProlong, (c) => {
    c.get("sandbox").rules = c.req.valid("json").map(({ used, ...rule }) => ({ rule, used, matched: 0 }));
    return c.body(null, 204);
  })
  .delete("/faults", existing, (c) => {
    c.get("sandbox").rules = [];
    return c.body(null, 204);
  })
  .get("/requests", existing, filter, (c) => {
    const { requests } = c.get("sandbox");
    const { origin } = urlOf(c, "");
    // Any page may open a WebSocket.
    if ((c.req.header("Origin") ?? origin) !== origin) throw new ApiError(FORBIDDEN);
    if (c.req.header("Upgrade")?.toLowerCase() === "websocket") return requests.watch();
    const { operationId, status = "", after, limit } = c.req.valid("query");
    const listed = requests
      .list()
      .filter((request) => request.id > after)
      .filter((request) => operationId === undefined || request.operationId === operationId)
      .filter((request) => String(request.status).startsWith(status.replace("xx", "")))
      .slice(0, limit);
    return c.json(listed);
  })
  .delete("/requests", existing, (c) => {
    c.get("sandbox").requests.clear();
    return c.body(null, 204);
  });
