import type { D1Migration } from "cloudflare:test";

declare global {
  namespace Cloudflare {
    interface Env {
      /** The files of `migrations/`, read by vitest.config.ts. */
      MIGRATIONS: D1Migration[];
    }
  }
}
