import { BASE_PATH } from "../http/base-path.ts";
import { ApiError } from "../http/errors.ts";
import type { ErrorBody } from "../http/errors.ts";
import { fail } from "../http/handler.ts";
import { implementFor } from "../http/implement.ts";
import { deleteDueImages } from "../pet/images.ts";
import { unauthenticated } from "../user/authenticate.ts";
import * as contract from "./contract.ts";
import { mayCreate } from "./creation.ts";
import { dataOf, duplicatesIn, insertionsOf } from "./data.ts";
import { INTERNAL } from "./faults/headers.ts";
import type { WithRecord } from "./record/handlers.ts";
import type { InSandbox } from "./sandbox.ts";

/** What `makeStore`, which runs in the Worker, uses besides the services. */
export interface WithForward {
  /** Lets the sandbox of this name answer a request. @throws Unavailable */
  readonly forward: (sandbox: string, request: Request) => Promise<Response>;
}

const implement = implementFor<InSandbox>();

/** The Worker chooses the name, and the request that fills the sandbox makes it. */
export const makeStore = implementFor<WithForward>()(
  contract.makeStore,
  async ({ body, bytes, headers, forward, logins, settings, url }) => {
    if (!(await mayCreate(headers, settings, logins))) throw unauthenticated();
    // Nobody can guess its 122 random bits.
    const store = crypto.randomUUID();
    const address = `${new URL(url).origin}/stores/${store}`;
    const isStated = Object.values(body).some((member) => member !== undefined);
    const filled = await forward(
      store,
      new Request(`${address}/data`, {
        method: "PUT",
        // The new sandbox counts for this client.
        headers: {
          "CF-Connecting-IP": headers.get("CF-Connecting-IP") ?? "",
          api_key: headers.get("api_key") ?? "",
          "Content-Type": "application/json",
        },
        // As it was sent: serialised again, it could exceed the limit.
        body: isStated && bytes ? bytes : JSON.stringify({ data: "empty" }),
      }),
    );
    if (!filled.ok) {
      const { message, errors = [] } = await filled.json<ErrorBody>();
      throw new ApiError([filled.status, message], { errors });
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
    if (!described) return fail("missing");
    const { madeAt, endsAt, ...holds } = described;
    const base = `${new URL(url).origin}/stores/${store}${BASE_PATH}`;
    const times = { madeAt: inTime(madeAt), expiresAt: inTime(endsAt) };
    return { body: { store, url: base, ...times, ...holds } };
  },
);

export const deleteStore = implement(contract.deleteStore, async ({ sandbox }) =>
  (await sandbox.end()) ? { body: undefined, status: 204 } : fail("missing"),
);

export const getStoreData = implement(
  contract.getStoreData,
  async ({ sandbox, db, settings, method }) => {
    if (!sandbox.exists) return fail("missing");
    const { body, rowsRead } = await dataOf(sandbox, db, settings.passwordKeys);
    // Nobody reads the body of a HEAD.
    if (method === "HEAD") await body.cancel();
    return {
      body: method === "HEAD" ? new Blob().stream() : body,
      headers: { "Content-Type": "application/json", [INTERNAL.rows]: String(rowsRead) },
    };
  },
);

export const putStoreData = implementFor<WithRecord>()(
  contract.putStoreData,
  async ({ body, db, images, now, recorder, report, sandbox, settings, use }) => {
    const duplicates = duplicatesIn(body);
    if (duplicates.length > 0) return fail("duplicate", duplicates);
    const statements = await insertionsOf(body, settings.passwordKeys);
    await use();
    const { rowsWritten, leavesImages } = sandbox.reset(statements);
    recorder.log.begin(body.data);
    // If this fails, the sandbox still knows the images, and deletes them later.
    if (leavesImages) await deleteDueImages(db, images, now()).catch(report);
    return { body: undefined, status: 204, headers: { [INTERNAL.rows]: String(rowsWritten) } };
  },
);
