import { env, exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { outcome, refusal } from "../fixtures.ts";
import { upload } from "../images.ts";
import { leftOf, newStore } from "./store.ts";
import type { Own } from "./store.ts";

const REX = { id: 1, name: "Rex", photoUrls: [] };
const MAX = { id: 1, name: "Max", photoUrls: [] };

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

describe("an upload", () => {
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
      const { send } = newStore({ IMAGES }, {}, store.name);
      const answer = await send("POST", "/pet/1/uploadImage", upload());
      expect(outcome(answer)).toEqual(refusal(404, "Pet not found"));
      expect((await store.manage("GET", "/data")).json).toMatchObject({ pets });
      expect((await leftOf(store)).images).toEqual([]);
    },
  );

  test("goes to the pet that has the id once the body is there §3.12.9", async () => {
    const store = newStore();
    await add(store, REX);
    const url = `http://petstore.test/stores/${store.name}/v2/pet/1/uploadImage`;
    const whole = new Request(url, { method: "POST", ...upload() });
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
