import { env, exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { BASE_PATHS } from "../../src/http/base-path.ts";
import type { BasePath } from "../client.ts";
import { outcome, refusal } from "../fixtures.ts";
import { PNG, upload } from "../images.ts";
import { leftOf, newStore } from "./store.ts";
import type { Own } from "./store.ts";

const REX = { id: 1, name: "Rex", photoUrls: [] };
const MAX = { id: 1, name: "Max", photoUrls: [] };

/** A request with a file, for each interface. */
const requestAt = (basePath: BasePath, url: string) =>
  new Request(url, {
    method: "POST",
    ...(basePath === "/v2" ? upload() : { body: PNG, headers: { "Content-Type": "image/png" } }),
  });

const add = async ({ send }: Own, json: object) => send("POST", "/pet", { json });

/** What may happen to a sandbox while R2 stores a file, and the pets afterwards. */
const EVENTS: readonly (readonly [string, (store: Own) => Promise<unknown>, object[]])[] = [
  ["the pet is deleted", async ({ send }) => send("DELETE", "/pet/1"), []],
  [
    "the pet is deleted and its id used again",
    async (store) => {
      await store.send("DELETE", "/pet/1");
      await add(store, MAX);
    },
    [MAX],
  ],
  [
    "the sandbox is emptied",
    async ({ manage }) => manage("PUT", "/data", { json: { data: "empty" } }),
    [],
  ],
  [
    "the sandbox is filled anew",
    async ({ manage }) => manage("PUT", "/data", { json: { pets: [MAX] } }),
    [MAX],
  ],
  [
    "the sandbox ends and begins anew",
    async (store) => {
      await store.manage("DELETE", "");
      await add(store, MAX);
    },
    [MAX],
  ],
];

describe.each(BASE_PATHS)("an upload at %s", (basePath: BasePath) => {
  const uploadTo = async ({ send }: Own) => {
    const { body, headers } = requestAt(basePath, "http://petstore.test");
    const type = { "Content-Type": headers.get("Content-Type") ?? "" };
    const bytes = await new Response(body).arrayBuffer();
    return send("POST", "/pet/1/uploadImage", { basePath, body: bytes, headers: type });
  };

  test.each(EVENTS)(
    "is 404 and leaves nothing if, while R2 stores the file, %s §3.12.9 §10.3.3 §10.4.1",
    async (_, happen, pets) => {
      const store = newStore();
      await add(store, REX);
      const IMAGES = new Proxy(env.IMAGES, {
        get: (bucket, method) =>
          method === "put"
            ? async (...values: Parameters<R2Bucket["put"]>) => {
                await happen(store);
                return bucket.put(...values);
              }
            : (Reflect.get(bucket, method) as () => void).bind(bucket),
      });
      const answer = await uploadTo(newStore({ IMAGES }, {}, store.name));
      expect(outcome(answer)).toEqual(refusal(404, "Pet not found"));
      expect((await store.manage("GET", "/data")).json).toMatchObject({ pets });
      expect((await leftOf(store)).images).toEqual([]);
    },
  );

  test("goes to the pet that has the id once the body is there §3.12.9", async () => {
    const store = newStore();
    await add(store, REX);
    const url = `http://petstore.test/stores/${store.name}${basePath}/pet/1/uploadImage`;
    const whole = requestAt(basePath, url);
    const bytes = await whole.clone().bytes();
    const { readable, writable } = new FixedLengthStream(bytes.length);
    const writer = writable.getWriter();
    const isRead = writer.write(bytes.subarray(0, 1));
    const { method, headers } = whole;
    const answer = exports.default.fetch(url, { method, headers, body: readable });
    await isRead;
    await store.send("DELETE", "/pet/1");
    await add(store, MAX);
    await writer.write(bytes.subarray(1));
    await writer.close();
    expect((await answer).status).toBe(200);
    const { json } = await store.send("GET", "/pet/1");
    expect(json).toMatchObject({ name: "Max", photoUrls: [expect.stringContaining("/images/")] });
  });
});
