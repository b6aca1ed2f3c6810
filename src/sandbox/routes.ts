import { route } from "../routes.ts";
import type { Route } from "../routes.ts";
import { getPetImage } from "../pet/handlers.ts";
import * as sandbox from "./handlers.ts";
import type { InSandbox, InWorker } from "./handlers.ts";
import { NAME_PARAMETER } from "./name.ts";

/** The path of a sandbox, as a pattern. */
const SANDBOX = `/stores/${NAME_PARAMETER}`;

/** What can be done with a sandbox besides the interface on it. */
export const sandboxRoutes: readonly Route<InSandbox>[] = [
  route("GET", SANDBOX, sandbox.getStore),
  route("DELETE", SANDBOX, sandbox.deleteStore),
  route("GET", `${SANDBOX}/data`, sandbox.getStoreData),
  route("PUT", `${SANDBOX}/data`, sandbox.putStoreData),
  route("GET", `${SANDBOX}/requests`, sandbox.getStoreRequests),
  route("PUT", `${SANDBOX}/requests`, sandbox.putStoreRequests),
  route("DELETE", `${SANDBOX}/requests`, sandbox.deleteStoreRequests),
  // For people who look at the sandbox: unlike below /v2, no rule for faults applies and the log does not have it.
  route("GET", `${SANDBOX}/pet/:petId/images/:name`, getPetImage),
  route("GET", `${SANDBOX}/faults`, sandbox.getStoreFaults),
  route("PUT", `${SANDBOX}/faults`, sandbox.putStoreFaults),
  route("DELETE", `${SANDBOX}/faults`, sandbox.deleteStoreFaults),
];

/** The Worker's routes besides the interface. It knows those of a sandbox, but forwards their requests. */
export const workerRoutes: readonly Route<InWorker>[] = [
  route("POST", "/stores", sandbox.makeStore),
  ...sandboxRoutes.map(({ method, path, endpoint: { operation } }) =>
    route(method, path, {
      operation,
      serve: () => {
        throw new Error("the Worker forwards this");
      },
    }),
  ),
];
