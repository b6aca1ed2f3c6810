import type { D1Migration } from "cloudflare:test";

declare global {
  namespace Cloudflare {
    interface Env {
      /** The migrations, read by vitest.config.ts. */
      MIGRATIONS: D1Migration[];
      /** The seed of all random choices: vitest.config.ts. */
      SEED: number;
      /** Whether this is `npm test -- --mode all`. */
      ALL: boolean;
      /** Whether this is `npm test -- --mode sandbox`: the tests ask a store of their own (test/engine.ts). */
      OWN: boolean;
    }
  }
}
