import { join } from "node:path";
import { ROOT } from "./programs.ts";

/** The environment of each wrangler that works on this machine. It asks nothing, reports nothing, and works offline. */
export const WRANGLER_ENV = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  // Wrangler's explorer would let pages at any port of this machine read and change the store.
  X_LOCAL_EXPLORER: "false",
  // Wrangler spends most of its start on compiling its own code.
  NODE_COMPILE_CACHE: join(ROOT, "node_modules", ".cache", "compiled"),
} as const;
