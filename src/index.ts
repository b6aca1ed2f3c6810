import { createApp } from "./app.ts";
import { Database } from "./db/client.ts";
import { pruneKeys } from "./db/idempotency.ts";

const app = createApp();

/** The Worker. */
export default {
  fetch: app.fetch,
  /** Forgets what is past its time. */
  async scheduled({ scheduledTime }, env) {
    await pruneKeys(new Database(env.DB), scheduledTime);
  },
} satisfies ExportedHandler<Env>;
