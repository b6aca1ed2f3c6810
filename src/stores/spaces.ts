import type { ImageSpace, SessionSpace } from "../context.ts";

// The part of KV, R2 and the limiters that belongs to a store of one's own. The store cannot reach any other key.

/** What the keys of a store begin with. @param id of its object */
export function prefixOf(id: DurableObjectId): string {
  return `stores/${id.toString()}/`;
}

/** The sessions whose keys begin with a prefix. */
export const sessionsBelow = (prefix: string, kv: KVNamespace): SessionSpace => ({
  get: async <Value>(key: string, type: "json") => kv.get<Value>(prefix + key, type),
  put: async (key, value, options) => kv.put(prefix + key, value, options),
  delete: async (key) => kv.delete(prefix + key),
});

/** A limit on attempts that no other store uses up. */
export const limitBelow = (prefix: string, limiter: RateLimit): RateLimit => ({
  limit: async ({ key }) => limiter.limit({ key: prefix + key }),
});

/** The images whose keys begin with a prefix. */
export const imagesBelow = (prefix: string, bucket: R2Bucket): ImageSpace => ({
  head: async (key) => bucket.head(prefix + key),
  get: async (key, options) => bucket.get(prefix + key, options),
  put: async (key, value, options) => bucket.put(prefix + key, value, options),
  delete: async (keys) => bucket.delete(keys.map((key) => prefix + key)),
});

/**
 * Most sessions that are deleted at once. Each is a call; an invocation may make 1,000, six at a time, and the request
 * that ends the store waits for them.
 */
const SESSIONS_AT_ONCE = 300;

/**
 * Deletes the images and the sessions whose keys begin with a prefix, as far as may be done at once.
 * @returns whether there are more
 */
export async function deleteBelow(
  prefix: string,
  { IMAGES, SESSIONS }: Pick<Env, "IMAGES" | "SESSIONS">,
): Promise<boolean> {
  const images = await IMAGES.list({ prefix });
  if (images.objects.length > 0) await IMAGES.delete(images.objects.map(({ key }) => key));
  const sessions = await SESSIONS.list({ prefix, limit: SESSIONS_AT_ONCE });
  await Promise.all(sessions.keys.map(async ({ name }) => SESSIONS.delete(name)));
  return images.truncated || !sessions.list_complete;
}
