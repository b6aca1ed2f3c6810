// `npm run reset`: empties the local store, even while it is served. `npm start` fills it again.
import { join } from "node:path";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import { emptyDatabase, storeFolder, withDatabase } from "./local-store.ts";

const folder = storeFolder(process.argv.slice(2));
withDatabase(folder, emptyDatabase);

// Only Miniflare knows how it stores sessions and images.
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    modules: true,
    script: "export default {}",
    log: new Log(LogLevel.ERROR),
    cf: false,
    telemetry: { enabled: false },
    resourcePersistencePath: join(folder, "v3"),
    kvNamespaces: { SESSIONS: "SESSIONS" },
    r2Buckets: { IMAGES: "pet-store-images" },
  }),
);
try {
  const sessions = await miniflare.getKVNamespace("SESSIONS");
  for (const { name } of (await sessions.list()).keys) await sessions.delete(name);
  const images = await miniflare.getR2Bucket("IMAGES");
  for (const { key } of (await images.list()).objects) await images.delete(key);
} finally {
  await miniflare.dispose();
}
console.log("The local store is empty.");
