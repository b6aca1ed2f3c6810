import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import * as v from "valibot";
import { urlOf } from "../address.ts";
import { orders, pets, users } from "../db/schema.ts";
import type { AppEnv } from "../env.ts";
import { ApiError } from "../errors.ts";
import { later } from "../middleware/log.ts";
import { ONE, json, limitBody, query } from "../middleware/validate.ts";
import { NotArray, Once, expected } from "../schemas.ts";
import { Data, MAX_DATA_BYTES, readData, replaceData } from "./data.ts";
import { curlOf, harOf } from "./export.ts";
import { existing, open } from "./open.ts";
import { MAX_RULES_BYTES, Rules } from "./rules.ts";

const Access = v.pipe(
  NotArray,
  v.variant(
    "access",
    [
      v.object({ access: v.literal("open") }),
      v.object({
        access: v.literal("protected"),
        apiKey: v.pipe(
          v.string(expected("a string")),
          v.minLength(16, "must have at least 16 characters"),
        ),
      }),
    ],
    "must be open or protected",
  ),
);

const Filter = {
  operationId: v.optional(Once),
  status: v.optional(
    v.pipe(Once, v.regex(/^[1-5](?:\d\d|xx)$/, "must be a status such as 503, or 5xx")),
  ),
  after: v.optional(
    v.pipe(Once, v.regex(/^\d{1,15}$/, "must be the id of a request"), v.transform(Number)),
  ),
  limit: v.optional(
    v.pipe(Once, v.regex(/^[1-9]\d{0,8}$/, "must be an integer from 1"), v.transform(Number)),
  ),
  format: v.optional(
    v.pipe(Once, v.picklist(["json", "har", "curl"], "must be json, har or curl")),
  ),
};

/** Refuses pages of other origins: any page may open a WebSocket. */
const ownOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const { origin } = urlOf(c, "");
  if ((c.req.header("Origin") ?? origin) !== origin) throw new ApiError([403, "Forbidden"]);
  await next();
});

/** The name of a sandbox and the URLs below its own. */
export const placeOf = (name: string, url: string) => ({
  name,
  url: `${url}/v2`,
  petstore3Url: `${url}/api/v3`,
  page: `${url}/`,
});

/** What manages a sandbox, below its path. */
export const sandboxRoutes = new Hono<AppEnv>()
  .get("/", existing, async (c) => {
    const { db } = c.var;
    return c.json({
      ...placeOf(c.req.param("sandbox") ?? "", urlOf(c, "").href),
      expiresAt: new Date(c.var.sandbox.expiresAt ?? 0).toISOString(),
      pets: await db.$count(pets),
      orders: await db.$count(orders),
      users: await db.$count(users),
    });
  })
  .delete("/", existing, async (c) => {
    const { sandbox } = c.var;
    await sandbox.delete();
    // This request has what it wanted.
    c.set("signal", sandbox.signal);
    return c.body(null, 204);
  })
  .get("/data", existing, async (c) =>
    c.json(await readData(c.var.db, c.var.settings.passwordKeys)),
  )
  .put("/data", limitBody(MAX_DATA_BYTES), json(Data, [400, "Invalid data"]), open, async (c) => {
    const { sandbox } = c.var;
    await replaceData(c.var.db, c.req.valid("json"), c.var.settings.passwordKeys);
    sandbox.requests.clear();
    later(c, sandbox.deleteFiles());
    return c.body(null, 204);
  })
  .get("/access", existing, (c) => c.json({ access: c.var.sandbox.access.access }))
  .put("/access", limitBody(ONE), json(Access, [400, "Invalid access"]), open, (c) => {
    c.var.sandbox.access = c.req.valid("json");
    return c.body(null, 204);
  })
  .get("/faults", existing, (c) =>
    c.json(c.var.sandbox.rules.map(({ rule, used }) => ({ ...rule, used }))),
  )
  .put("/faults", limitBody(MAX_RULES_BYTES), json(Rules, [400, "Invalid rules"]), open, (c) => {
    const rules = c.req.valid("json");
    c.var.sandbox.rules = rules.map(({ used, ...rule }) => ({ rule, used, met: 0 }));
    return c.body(null, 204);
  })
  .delete("/faults", existing, (c) => {
    c.var.sandbox.rules = [];
    return c.body(null, 204);
  })
  .get("/requests", existing, ownOrigin, query(Filter, [400, "Invalid query"]), (c) => {
    const { requests } = c.var.sandbox;
    if (c.req.header("Upgrade")?.toLowerCase() === "websocket") return requests.watch();
    const { format = "json", operationId, status = "", after = 0, limit } = c.req.valid("query");
    const listed = requests
      .list()
      .filter((request) => request.id > after)
      .filter((request) => operationId === undefined || request.operationId === operationId)
      .filter((request) => String(request.status).startsWith(status.replace("xx", "")))
      .slice(0, limit);
    if (format === "json") return c.json(listed);
    const { href } = urlOf(c, "");
    const oldestFirst = listed.toReversed();
    return format === "har" ? c.json(harOf(oldestFirst, href)) : c.text(curlOf(oldestFirst, href));
  })
  .delete("/requests", existing, (c) => {
    c.var.sandbox.requests.clear();
    return c.body(null, 204);
  });
