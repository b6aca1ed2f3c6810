import { getPetImage } from "../pet/handlers.ts";
import { route } from "../routes.ts";
import type { Route } from "../routes.ts";
import * as faults from "./faults/handlers.ts";
import * as sandbox from "./handlers.ts";
import { SANDBOX } from "./name.ts";
import * as record from "./record/handlers.ts";

/** What the handlers in the object of a sandbox use besides the services. */
export type InObject = faults.WithFaults & record.WithRecord;

/** What can be done with a sandbox besides the interfaces on it. */
export const sandboxRoutes: readonly Route<InObject>[] = [
  route("GET", SANDBOX, sandbox.getStore),
  route("DELETE", SANDBOX, sandbox.deleteStore),
  route("GET", `${SANDBOX}/data`, sandbox.getStoreData),
  route("PUT", `${SANDBOX}/data`, sandbox.putStoreData),
  // For people who look at the sandbox: unlike below /v2, it meets no rule and is not recorded.
  route("GET", `${SANDBOX}/pet/:petId/images/:name`, getPetImage),
  route("GET", `${SANDBOX}/requests`, record.getStoreRequests),
  route("PUT", `${SANDBOX}/requests`, record.putStoreRequests),
  route("DELETE", `${SANDBOX}/requests`, record.deleteStoreRequests),
  route("GET", `${SANDBOX}/faults`, faults.getStoreFaults),
  route("PUT", `${SANDBOX}/faults`, faults.putStoreFaults),
  route("DELETE", `${SANDBOX}/faults`, faults.deleteStoreFaults),
];

/** The Worker's routes besides the interfaces. It knows those of a sandbox, but forwards their requests. */
export const workerRoutes: readonly Route<sandbox.WithForward>[] = [
  route("POST", "/stores", sandbox.makeStore),
  ...sandboxRoutes.map(({ method, path, endpoint: { operation } }) =>
    route(method, path, {
      operation,
      answer: () => {
        throw new Error("the Worker forwards this");
      },
    }),
  ),
];
