import { Database } from "./db/client.ts";
import { D1Engine } from "./db/d1.ts";
import { pruneKeys } from "./db/idempotency-keys.ts";
import { deleteDueImages } from "./pet/images.ts";
import { createWorker } from "./worker.ts";

export { StoreObject } from "./sandbox/object.ts";

const worker = createWorker();

export default {
  fetch: async (request, env) => worker.fetch(request, env),
  /** The hourly run: deletes expired idempotency keys, and images that no pet has. */
  async scheduled({ scheduledTime }, env) {
    // A failure of one must not stop the other.
    const done = await Promise.allSettled([
      pruneKeys(new Database(new D1Engine(env.DB)), scheduledTime),
      deleteDueImages(new Database(new D1Engine(env.DB)), env.IMAGES, scheduledTime),
    ]);
    for (const each of done) if (each.status === "rejected") throw each.reason;
  },
} satisfies ExportedHandler<Env>;
