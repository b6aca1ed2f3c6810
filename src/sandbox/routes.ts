import { Hono } from "hono/tiny";
import * as v from "valibot";
import { retry } from "../db/retry.ts";
import { orders, pets, users } from "../db/schema.ts";
import { FORBIDDEN } from "../http/access.ts";
import { resolveUrl } from "../http/address.ts";
import { json } from "../http/body.ts";
import { ApiError } from "../http/errors.ts";
import { LARGE_BODY } from "../http/read-body.ts";
import { ApiKey, NotArray, strictObject } from "../http/schemas.ts";
import { runAfterResponse } from "../middleware/log.ts";
import { Data, INVALID_DATA, MAX_BODY_BYTES, readData, replaceData } from "./data.ts";
import type { SandboxEnv } from "./env.ts";
import { ensureSandbox, requireSandbox } from "./lifetime.ts";
import { findRequests, validateLogQuery } from "./log/query.ts";
import { sandboxLinks } from "./names.ts";
import type { Operations } from "./rules/operations.ts";
import { rulesSchema } from "./rules/rules.ts";
import { endSessions } from "./storage.ts";

const access = v.picklist(["open", "protected"], "must be open or protected");
const OpenAccess = strictObject({ access }, "is not a field of open access");
const ProtectedAccess = strictObject({ access, apiKey: ApiKey });

const Access = v.pipe(
  NotArray,
  v.lazy((input) => ((input as { access?: unknown })?.access === "protected" ? ProtectedAccess : OpenAccess)),
);

/** The routes that manage a sandbox, below its path. */
export const sandboxRoutes = (operations: Operations) =>
  new Hono<SandboxEnv>()
    .get("/", requireSandbox, async (c) => {
      const db = c.get("db");
      const count = async (table: typeof pets | typeof orders | typeof users) => retry(() => db.$count(table));
      return c.json({
        ...sandboxLinks(c.req.param("sandbox") ?? "", resolveUrl(c, "").href),
        expiresAt: new Date(c.get("sandbox").expiresAt ?? 0).toISOString(),
        pets: await count(pets),
        orders: await count(orders),
        users: await count(users),
      });
    })
    .delete("/", requireSandbox, async (c) => {
      const sandbox = c.get("sandbox");
      // Unlike other requests in flight, this one gets its own response, even if the deletion fails.
      await sandbox.delete(c.env.IMAGES).finally(() => c.set("signal", sandbox.signal));
      return c.body(null, 204);
    })
    .get("/data", requireSandbox, async (c) => c.json(await readData(c.get("db"), c.get("settings").passwordKeys)))
    .put("/data", json(Data, INVALID_DATA, { limit: MAX_BODY_BYTES }), ensureSandbox, async (c) => {
      const sandbox = c.get("sandbox");
      await replaceData(c.get("db"), c.req.valid("json"), c.get("settings").passwordKeys);
      sandbox.requests.clear();
      endSessions(sandbox.storage);
      runAfterResponse(c, sandbox.deleteFiles(c.env.IMAGES));
      return c.body(null, 204);
    })
    .get("/access", requireSandbox, (c) => c.json({ access: c.get("sandbox").access.access }))
    .put("/access", json(Access, [400, "Invalid access"]), ensureSandbox, (c) => {
      c.get("sandbox").access = c.req.valid("json");
      return c.body(null, 204);
    })
    .get("/faults", requireSandbox, (c) => c.json(c.get("sandbox").rules.map(({ rule, used }) => ({ ...rule, used }))))
    .put(
      "/faults",
      json(rulesSchema(operations), [400, "Invalid rules"], { limit: LARGE_BODY }),
      ensureSandbox,
      (c) => {
        c.get("sandbox").rules = c.req.valid("json").map(({ used, ...rule }) => ({ rule, used, matched: 0 }));
        return c.body(null, 204);
      },
    )
    .delete("/faults", requireSandbox, (c) => {
      c.get("sandbox").rules = [];
      return c.body(null, 204);
    })
    .get("/requests", requireSandbox, validateLogQuery(operations), async (c) => {
      const { origin } = resolveUrl(c, "");
      // Any page can open a WebSocket.
      if ((c.req.header("Origin") ?? origin) !== origin) throw new ApiError(FORBIDDEN);
      if (c.req.header("Upgrade")?.toLowerCase() === "websocket") return c.get("sandbox").requests.watch();
      return c.json(await findRequests(c, c.req.valid("query")));
    })
    .delete("/requests", requireSandbox, (c) => {
      c.get("sandbox").requests.clear();
      return c.body(null, 204);
    });
