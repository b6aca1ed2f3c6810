import { route } from "../../routes.ts";
import type { Route } from "../../routes.ts";
import { SANDBOX } from "../name.ts";
import { deleteStoreFaults, getStoreFaults, putStoreFaults } from "./handlers.ts";
import type { WithFaults } from "./handlers.ts";

const FAULTS = `${SANDBOX}/faults`;

export const faultRoutes: readonly Route<WithFaults>[] = [
  route("GET", FAULTS, getStoreFaults),
  route("PUT", FAULTS, putStoreFaults),
  route("DELETE", FAULTS, deleteStoreFaults),
];
