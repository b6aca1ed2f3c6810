import { route } from "../routes.ts";
import type { Route } from "../routes.ts";
import { getPetImage } from "../pet/handlers.ts";
import * as stores from "./handlers.ts";
import { NAME_PARAMETER } from "./name.ts";

/** The path of a store of one's own, as a pattern. */
export const STORE = `/stores/${NAME_PARAMETER}`;

/** What can be done with a store of one's own, besides the interface on it. */
export const storeRoutes: readonly Route[] = [
  route("POST", "/stores", stores.makeStore),
  route("GET", STORE, stores.getStore),
  route("DELETE", STORE, stores.deleteStore),
  route("GET", `${STORE}/data`, stores.getStoreData),
  route("PUT", `${STORE}/data`, stores.putStoreData),
  route("GET", `${STORE}/requests`, stores.getStoreRequests),
  // For people who look at the store: unlike below /v2, no rule for faults applies and the log does not have it.
  route("GET", `${STORE}/pet/:petId/images/:name`, getPetImage),
  route("GET", `${STORE}/faults`, stores.getStoreFaults),
  route("PUT", `${STORE}/faults`, stores.putStoreFaults),
  route("DELETE", `${STORE}/faults`, stores.deleteStoreFaults),
];
