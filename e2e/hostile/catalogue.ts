// The hostile requests that `npm run test:hostile` sends, as raw bytes, to a running server.
import { canaries } from "./cases/canaries.ts";
import type { HostileCase } from "./case.ts";
import { clients } from "./cases/clients.ts";
import { framing } from "./cases/framing.ts";
import { headers } from "./cases/headers.ts";
import { runtime, tidied } from "./cases/runtime.ts";

/** Every case, by the part of a request that is hostile. */
export const catalogue: Readonly<Record<string, readonly HostileCase[]>> = {
  canaries,
  headers,
  framing,
  clients,
  runtime,
  tidied,
};
