import type { Services } from "../context.ts";
import { Failure, fail } from "../http/handler.ts";
import type { Endpoint } from "../http/handler.ts";
import { implement } from "../http/implement.ts";
import { deleteDueImages } from "../pet/images.ts";
import { BASE_PATH } from "../base-path.ts";
import * as contract from "./contract.ts";
import type { Data } from "./contract.ts";
import { dataOf, duplicatesIn, insertionsOf } from "./data.ts";
import { newName } from "./name.ts";
import type { Description } from "./object.ts";

const inTime = (ms: number) => new Date(ms).toISOString();

/** Where a store is, and when it ends. */
function placeOf(url: string, store: string, { endsAt }: Description) {
  return {
    store,
    url: `${new URL(url).origin}/stores/${store}${BASE_PATH}`,
    expiresAt: inTime(endsAt),
  };
}

/** Puts data into a store, unless the data is wrong. */
async function fill(
  name: string,
  data: Data,
  { ownStore, settings }: Services,
): Promise<{ readonly leavesImages: boolean } | Failure<400>> {
  const duplicates = duplicatesIn(data);
  if (duplicates.length > 0) return fail(400, duplicates);
  return ownStore(name).reset(await insertionsOf(data, settings.passwordKeys));
}

export const makeStore = implement(contract.makeStore, async ({ body, ...call }) => {
  const store = newName();
  const filled = await fill(store, body, call);
  if (filled instanceof Failure) return filled;
  const described = await call.ownStore(store).describe();
  if (!described) throw new Error("a store that was just made does not exist");
  return {
    body: placeOf(call.url, store, described),
    status: 201,
    headers: { Location: `/stores/${store}` },
  };
});

export const getStore = implement(contract.getStore, async ({ params, ownStore, url }) => {
  const described = await ownStore(params.store).describe();
  if (!described) return fail(404);
  const { madeAt, pets, orders, users, bytes } = described;
  const place = placeOf(url, params.store, described);
  return { body: { ...place, madeAt: inTime(madeAt), pets, orders, users, bytes } };
});

export const deleteStore = implement(contract.deleteStore, async ({ params, ownStore }) =>
  (await ownStore(params.store).end()) ? { body: undefined, status: 204 } : fail(404),
);

export const getStoreData = implement(
  contract.getStoreData,
  async ({ params, ownStore, settings }) => {
    const body = await dataOf(ownStore(params.store), settings.passwordKeys);
    return body ? { body } : fail(404);
  },
);

export const putStoreData = implement(contract.putStoreData, async ({ params, body, ...call }) => {
  const filled = await fill(params.store, body, call);
  if (filled instanceof Failure) return filled;
  // The store knows them until they are gone.
  if (filled.leavesImages) {
    await deleteDueImages(call.db, call.images, call.now()).catch(call.report);
  }
  return { body: undefined, status: 204 };
});

const listRequests = implement(contract.getStoreRequests, async ({ params, ownStore }) => {
  const requests = await ownStore(params.store).requests();
  return requests ? { body: [...requests] } : fail(404);
});

/** Passes a WebSocket on to the store. */
export const getStoreRequests: Endpoint = {
  ...listRequests,
  async serve(c, services, principal) {
    if (c.req.header("Upgrade")?.toLowerCase() === "websocket") {
      const answer = await services.ownStore(c.req.param("store") ?? "").watch(c.req.raw);
      if (answer.webSocket) return answer;
    }
    return listRequests.serve(c, services, principal);
  },
};

export const putStoreFaults = implement(
  contract.putStoreFaults,
  async ({ params, body, ownStore }) => {
    await ownStore(params.store).setFaults(body);
    return { body: undefined, status: 204 };
  },
);

export const getStoreFaults = implement(contract.getStoreFaults, async ({ params, ownStore }) => {
  const states = await ownStore(params.store).faults();
  if (!states) return fail(404);
  return {
    body: states.map(({ rule, used }) => ({
      ...rule,
      used,
      ...(rule.times !== undefined && { left: rule.times - used }),
    })),
  };
});

export const deleteStoreFaults = implement(
  contract.deleteStoreFaults,
  async ({ params, ownStore }) =>
    (await ownStore(params.store).endFaults()) ? { body: undefined, status: 204 } : fail(404),
);
