import type { D1Migration } from "cloudflare:test";
import type * as worker from "../src/index.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      /** The migrations, read by vitest.config.ts. */
      MIGRATIONS: D1Migration[];
    }
    interface GlobalProps {
      mainModule: typeof worker;
    }
  }
}
