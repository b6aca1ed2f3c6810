import { createApp } from "./app.ts";
import { Database } from "./db/client.ts";
import { pruneKeys } from "./db/idempotency-keys.ts";
import { D1Engine } from "./db/d1.ts";
import { deleteDueImages } from "./pet/images.ts";

export { StoreObject } from "./stores/object.ts";

const app = createApp();

/** The Worker. */
export default {
  fetch: app.fetch,
  /** The hourly run: deletes expired keys, and finishes work that was interrupted. */
  async scheduled({ scheduledTime }, env) {
    // A fault in one of them must not stop the other.
    const done = await Promise.allSettled([
      pruneKeys(new Database(new D1Engine(env.DB)), scheduledTime),
      deleteDueImages(new Database(new D1Engine(env.DB)), env.IMAGES, scheduledTime),
    ]);
    for (const each of done) if (each.status === "rejected") throw each.reason;
  },
} satisfies ExportedHandler<Env>;
