import { route } from "../routes.ts";
import type { Route } from "../routes.ts";
import * as stores from "./handlers.ts";
import { NAME_PARAMETER } from "./name.ts";

const STORE = `/stores/${NAME_PARAMETER}`;

/** What can be done with a store of one's own, besides the interface on it. */
export const storeRoutes: readonly Route[] = [
  route("POST", "/stores", stores.makeStore),
  route("GET", STORE, stores.getStore),
  route("DELETE", STORE, stores.deleteStore),
  route("GET", `${STORE}/data`, stores.getStoreData),
  route("PUT", `${STORE}/data`, stores.putStoreData),
  route("GET", `${STORE}/requests`, stores.getStoreRequests),
  route("GET", `${STORE}/faults`, stores.getStoreFaults),
  route("PUT", `${STORE}/faults`, stores.putStoreFaults),
  route("DELETE", `${STORE}/faults`, stores.deleteStoreFaults),
];
