import { route } from "../../routes.ts";
import type { Route } from "../../routes.ts";
import { SANDBOX } from "../name.ts";
import { deleteStoreRequests, getStoreRequests, putStoreRequests } from "./handlers.ts";
import type { WithRecord } from "./handlers.ts";

const REQUESTS = `${SANDBOX}/requests`;

export const recordRoutes: readonly Route<WithRecord>[] = [
  route("GET", REQUESTS, getStoreRequests),
  route("PUT", REQUESTS, putStoreRequests),
  route("DELETE", REQUESTS, deleteStoreRequests),
];
