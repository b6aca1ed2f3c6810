import { getPetImage } from "../pet/handlers.ts";
import { route } from "../routes.ts";
import type { Route } from "../routes.ts";
import * as faults from "./faults/handlers.ts";
import * as sandbox from "./handlers.ts";
import * as record from "./record/handlers.ts";

/** What the handlers in the object of a sandbox use besides the services. */
export type InObject = faults.WithFaults & record.WithRecord;

/** What can be done with a sandbox besides the interfaces on it. Paths are below that of the sandbox. */
export const sandboxRoutes: readonly Route<InObject>[] = [
  route("GET", "", sandbox.getStore),
  route("DELETE", "", sandbox.deleteStore),
  route("GET", "/data", sandbox.getStoreData),
  route("PUT", "/data", sandbox.putStoreData),
  // For people who look at the sandbox: unlike below /v2, it meets no rule and is not recorded.
  route("GET", "/pet/:petId/images/:name", getPetImage),
  route("GET", "/requests", record.getStoreRequests),
  route("PUT", "/requests", record.putStoreRequests),
  route("DELETE", "/requests", record.deleteStoreRequests),
  route("GET", "/faults", faults.getStoreFaults),
  route("PUT", "/faults", faults.putStoreFaults),
  route("DELETE", "/faults", faults.deleteStoreFaults),
];

/** The same in the Worker, which forwards each request. */
export const forwardedRoutes: readonly Route[] = sandboxRoutes.map(
  ({ method, path, endpoint: { operation } }) => route(method, path, { operation }),
);

/** What can be done without a sandbox. */
export const storesRoutes: readonly Route<sandbox.WithForward>[] = [
  route("POST", "/stores", sandbox.makeStore),
];
