// The hostile requests that `npm run test:hostile` sends, as raw bytes, to a running server.
import { bodies } from "./bodies.ts";
import type { HostileCase } from "./case.ts";
import { clients } from "./clients.ts";
import { forms } from "./forms.ts";
import { framing } from "./framing.ts";
import { headers } from "./headers.ts";
import { paths } from "./paths.ts";
import { queries } from "./queries.ts";
import { runtime, tidied } from "./runtime.ts";

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
