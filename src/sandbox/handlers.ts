import { BASE_PATH } from "../http/base-path.ts";
import { ApiError, retryAfter } from "../http/errors.ts";
import type { ErrorBody } from "../http/errors.ts";
import { fail } from "../http/handler.ts";
import type { Endpoint } from "../http/handler.ts";
import { implementFor } from "../http/implement.ts";
import { JsonText } from "../http/json-text.ts";
import { deleteDueImages } from "../pet/images.ts";
import * as contract from "./contract.ts";
import { missesOf } from "./faults/aims.ts";
import { ROWS } from "./forward.ts";
import { dataOf, duplicatesIn, insertionsOf } from "./data.ts";
import { FORMATS } from "./record/formats.ts";
import { isWanted } from "./record/log.ts";
import { prepared } from "./faults/rules.ts";
import type { Sandbox } from "./sandbox.ts";

/** What the handlers in the Worker use besides the services. */
export interface InWorker {
  /** The static assets. */
  readonly assets: Fetcher;
  /** Lets the sandbox of this name answer a request. @throws Unavailable */
  readonly forward: (sandbox: string, request: Request) => Promise<Response>;
}

/** What the handlers in the object of a sandbox use besides the services. */
export interface InSandbox {
  readonly sandbox: Sandbox;
  /** Makes the sandbox or prolongs its life. */
  readonly use: () => Promise<void>;
}

const implement = implementFor<InSandbox>();

/** The Worker chooses the name. The sandbox is made by what fills it. */
export const makeStore = implementFor<InWorker>()(
  contract.makeStore,
  async ({ body, headers, forward, url }) => {
    // Nobody can guess its 122 random bits.
    const store = crypto.randomUUID();
    const address = `${new URL(url).origin}/stores/${store}`;
    const data = Object.values(body).some((member) => member !== undefined)
      ? body
      : { data: "empty" };
    const filled = await forward(
      store,
      new Request(`${address}/data`, {
        method: "PUT",
        // It counts as made by this client.
        headers: {
          "CF-Connecting-IP": headers.get("CF-Connecting-IP") ?? "",
          "Content-Type": "application/json",
        },
        body: JSON.stringify(data),
      }),
    );
    if (!filled.ok) {
      const { message, errors = [] } = await filled.json<ErrorBody>();
      throw new ApiError(filled.status, message, { errors, headers: retryAfter(filled.status) });
    }
    const described = await forward(store, new Request(address));
    const { expiresAt } = await described.json<{ readonly expiresAt: string }>();
    return {
      body: { store, url: address + BASE_PATH, expiresAt },
      status: 201,
      headers: { Location: `/stores/${store}` },
    };
  },
);

const inTime = (ms: number) => new Date(ms).toISOString();

export const getStore = implement(
  contract.getStore,
  async ({ params: { store }, sandbox, url }) => {
    const described = sandbox.describe();
    if (!described) return fail(404);
    const { madeAt, endsAt, ...holds } = described;
    const base = `${new URL(url).origin}/stores/${store}${BASE_PATH}`;
    const times = { madeAt: inTime(madeAt), expiresAt: inTime(endsAt) };
    return { body: { store, url: base, ...times, ...holds } };
  },
);

export const deleteStore = implement(contract.deleteStore, async ({ sandbox }) =>
  (await sandbox.end()) ? { body: undefined, status: 204 } : fail(404),
);

export const getStoreData = implement(contract.getStoreData, async ({ sandbox, db, settings }) =>
  sandbox.exists ? { body: await dataOf(db, settings.passwordKeys) } : fail(404),
);

export const putStoreData = implement(
  contract.putStoreData,
  async ({ body, db, images, now, report, sandbox, settings, use }) => {
    const duplicates = duplicatesIn(body);
    if (duplicates.length > 0) return fail(400, duplicates);
    const statements = await insertionsOf(body, settings.passwordKeys);
    await use();
    const { rowsWritten, leavesImages } = sandbox.reset(statements, body.data);
    // The sandbox knows these images until they are deleted.
    if (leavesImages) await deleteDueImages(db, images, now()).catch(report);
    return { body: undefined, status: 204, headers: { [ROWS]: String(rowsWritten) } };
  },
);

const listRequests = implement(
  contract.getStoreRequests,
  async ({ params: { store }, query: { format = "json", ...filter }, sandbox, url }) => {
    if (!sandbox.exists) return fail(404);
    const [miss] = missesOf([{ operationId: filter.operationId }]);
    if (miss) return fail(400, [{ path: "operationId", message: miss.message }]);
    const { log } = sandbox;
    const requests = log.requests
      .filter((request) => isWanted(request, filter))
      .slice(0, filter.limit);
    if (format === "json") return { body: requests };
    const { data, after } = log.about.began;
    const { type, file, write } = FORMATS[format];
    const text = write(requests.toReversed(), {
      address: `${new URL(url).origin}/stores/${store}`,
      began: data,
      isWhole: requests.length === log.last - after,
    });
    const disposition = `attachment; filename="${file}"`;
    return {
      body: new JsonText(text),
      headers: { "Content-Type": type, "Content-Disposition": disposition },
    };
  },
);

/** A WebSocket gets the requests as they come. A page of another origin gets none: any page may open a WebSocket. */
export const getStoreRequests: Endpoint<InSandbox> = {
  ...listRequests,
  async serve(c, services, principal) {
    const isSocket = c.req.header("Upgrade")?.toLowerCase() === "websocket";
    const origin = c.req.header("Origin");
    if (isSocket && origin !== undefined && URL.parse(origin)?.host !== new URL(c.req.url).host) {
      throw new ApiError(403, contract.getStoreRequests.errors[403]);
    }
    return isSocket && services.sandbox.exists
      ? services.sandbox.watch()
      : listRequests.serve(c, services, principal);
  },
};

export const putStoreRequests = implement(
  contract.putStoreRequests,
  async ({ body, sandbox, settings, use }) => {
    if (body.secrets === true && settings.localStore === undefined) {
      return fail(400, [{ path: "secrets", message: "must be false in a hosted store" }]);
    }
    await use();
    sandbox.log.about = { mode: body };
    return { body: undefined, status: 204 };
  },
);

export const deleteStoreRequests = implement(contract.deleteStoreRequests, async ({ sandbox }) => {
  if (!sandbox.exists) return fail(404);
  sandbox.log.clear();
  return { body: undefined, status: 204 };
});

export const putStoreFaults = implement(contract.putStoreFaults, async ({ body, sandbox, use }) => {
  const states = body.map(prepared);
  const misses = missesOf(states.map(({ rule }) => rule));
  if (misses.length > 0) return fail(400, misses);
  await use();
  sandbox.setRules(states);
  return { body: undefined, status: 204 };
});

export const getStoreFaults = implement(contract.getStoreFaults, async ({ sandbox }) => {
  if (!sandbox.exists) return fail(404);
  return {
    body: sandbox.rules.map(({ rule, used, met }) => ({
      ...rule,
      used,
      met,
      ...(rule.times !== undefined && { left: Math.max(0, rule.times - used) }),
    })),
  };
});

export const deleteStoreFaults = implement(contract.deleteStoreFaults, async ({ sandbox }) => {
  if (!sandbox.exists) return fail(404);
  sandbox.setRules([]);
  return { body: undefined, status: 204 };
});
