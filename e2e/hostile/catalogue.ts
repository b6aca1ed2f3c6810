// The hostile requests that `npm run test:hostile` sends, as raw bytes, to a running server.
import { bodies } from "./cases/bodies.ts";
import type { HostileCase } from "./case.ts";
import { clients } from "./cases/clients.ts";
import { forms } from "./cases/forms.ts";
import { framing } from "./cases/framing.ts";
import { headers } from "./cases/headers.ts";
import { paths } from "./cases/paths.ts";
import { queries } from "./cases/queries.ts";
import { runtime, tidied } from "./cases/runtime.ts";

/** Every case, by the part of a request that is hostile. */
export const catalogue: Readonly<Record<string, readonly HostileCase[]>> = {
  paths,
  queries,
  bodies,
  forms,
  headers,
  framing,
  clients,
  runtime,
  tidied,
};
