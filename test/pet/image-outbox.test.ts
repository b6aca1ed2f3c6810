import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fetchBytes } from "../bytes.ts";
import { send } from "../client.ts";
import {
  captureFaults,
  clientWith,
  createPet,
  done,
  outcome,
  refusal,
  runScheduled,
  success,
  uniqueId,
} from "../fixtures.ts";
import { PNG, upload } from "../images.ts";
import { Calls, d1Through, r2Through } from "../bindings.ts";
import type { Fault } from "../bindings.ts";

const HOUR_MS = 60 * 60 * 1000;

const uploadTo = async (id: number, client = send) =>
  client("POST", `/pet/${id}/uploadImage`, upload());

/** A pet with an image. */
async function picturedPet(members: object = {}) {
  const { id, path } = await createPet({ photoUrls: [], ...members });
  expect((await uploadTo(id)).status).toBe(200);
  return { id, path };
}

const storedImages = async (petId: number) =>
  (await env.IMAGES.list({ prefix: `${petId}/` })).objects.map(({ key }) => key);

/** What D1 knows of the images of a pet. */
async function knownImages(petId: number) {
  const { results } = await env.DB.prepare("SELECT dueAt FROM pet_images WHERE petId = ?")
    .bind(petId)
    .all<{ dueAt: number | null }>();
  return results.map(({ dueAt }) => dueAt);
}

const DOWN: Fault = { when: "before", message: "Service is temporarily unavailable. (10043)" };
const LOST: Fault = { when: "after", message: "Client disconnected. (10054)" };
const downR2 = () => ({ IMAGES: r2Through(new Calls(() => DOWN)) });
/** D1 with a fault at these calls. */
const faultyD1 = (isFaulty: (call: number) => boolean) => ({
  DB: d1Through(
    new Calls((call) =>
      isFaulty(call) ? { when: "before", message: "D1_ERROR: overloaded" } : undefined,
    ),
  ),
});

// Delete the images that earlier tests left for deletion.
beforeEach(async () => {
  captureFaults();
  await runScheduled({}, Date.now() + 2 * HOUR_MS);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("a pet that is deleted while R2 is down", () => {
  test.each<[string, Partial<Env>, Fault["when"] | "D1"]>([
    ["R2 fails before the call", downR2(), "before"],
    ["R2 fails after the call", { IMAGES: r2Through(new Calls(() => LOST)) }, "after"],
    ["D1 fails after R2 deleted them", faultyD1((call) => call === 1), "D1"],
  ])(
    "is deleted, the log has the fault, and its images go with the next hourly run: %s §3.7.4",
    async (_, faulty, fault) => {
      const faults = captureFaults();
      const { id, path } = await picturedPet();
      expect(outcome(await clientWith(faulty)("DELETE", path))).toEqual(done(String(id)));
      expect(faults()).toEqual([expect.objectContaining({ status: 200, error: "Unavailable" })]);
      expect(await storedImages(id)).toHaveLength(fault === "before" ? 1 : 0);
      expect(await knownImages(id)).toEqual([0]);
      expect(outcome(await send("DELETE", path))).toEqual(refusal(404, "Pet not found"));

      await runScheduled();

      expect(await storedImages(id)).toEqual([]);
      expect(await knownImages(id)).toEqual([]);
    },
  );

  test("does not take the images of another that gets its id §3.7.4", async () => {
    const id = uniqueId();
    await picturedPet({ id });
    const [old] = await storedImages(id);
    await clientWith(downR2())("DELETE", `/pet/${id}`);

    await picturedPet({ id, name: "Max" });
    const { json } = await send("GET", `/pet/${id}`);
    await runScheduled({}, Date.now() + 2 * HOUR_MS);

    expect(await storedImages(id)).not.toContain(old);
    expect(outcome(await send("GET", `/pet/${id}`))).toEqual(success(json));
    const [url = ""] = (json as { photoUrls: string[] }).photoUrls;
    expect((await fetchBytes("GET", url.replace("/v2", ""))).bytes).toEqual(PNG);
  });
});

describe("an upload that is cut short", () => {
  test.each<[string, Partial<Env>, stored: number, known: number]>([
    ["before D1 knows of it", faultyD1((call) => call === 0), 0, 0],
    ["before R2 has the image", downR2(), 0, 1],
    ["between R2 and the pet", faultyD1((call) => call > 0), 1, 1],
  ])(
    "%s leaves nothing but an image that the hourly run deletes an hour later §3.12.6",
    async (_, faulty, stored, known) => {
      const { id, path, shown } = await createPet({ photoUrls: [] });
      const began = Date.now();
      expect((await uploadTo(id, clientWith(faulty))).status).toBe(503);
      expect(await storedImages(id)).toHaveLength(stored);
      const ended = Date.now();

      // It may still be going on.
      await runScheduled({}, began + HOUR_MS - 1);
      expect(await storedImages(id)).toHaveLength(stored);
      expect(await knownImages(id)).toHaveLength(known);

      await runScheduled({}, ended + HOUR_MS);
      expect(await storedImages(id)).toEqual([]);
      expect(await knownImages(id)).toEqual([]);
      expect((await send("GET", path)).json).toEqual(shown);
    },
  );
});

/** The test's own R2, where something happens after an image was stored. */
const afterPut = (happens: () => Promise<unknown>, faults = new Calls()) =>
  new Proxy(r2Through(faults), {
    get: (bucket, name) =>
      name === "put"
        ? async (key: string, bytes: Uint8Array<ArrayBuffer>, options: R2PutOptions) => {
            const object = await env.IMAGES.put(key, bytes, options);
            await happens();
            return object;
          }
        : (Reflect.get(bucket, name) as unknown),
  });

describe("an upload whose pet is deleted meanwhile", () => {
  test("is answered 404 and leaves no image §3.12.5", async () => {
    const { id, path } = await createPet({ photoUrls: [] });
    const IMAGES = afterPut(async () => send("DELETE", path));
    expect(outcome(await uploadTo(id, clientWith({ IMAGES })))).toEqual(
      refusal(404, "Pet not found"),
    );
    expect(await storedImages(id)).toEqual([]);
    expect(await knownImages(id)).toEqual([]);
  });

  test("is answered 404 though another pet has the id by then, which keeps its own image §3.12.9", async () => {
    const id = uniqueId();
    const { path } = await createPet({ id, photoUrls: [] });
    const IMAGES = afterPut(async () => {
      await send("DELETE", path);
      await picturedPet({ id, name: "Max" });
    });
    expect(outcome(await uploadTo(id, clientWith({ IMAGES })))).toEqual(
      refusal(404, "Pet not found"),
    );
    const { photoUrls } = (await send("GET", path)).json as { photoUrls: string[] };
    expect(photoUrls).toEqual([expect.stringContaining("/images/")]);
    expect(await storedImages(id)).toHaveLength(1);
    expect(await knownImages(id)).toEqual([null]);
  });

  test("leaves no image even if the hourly run comes before it and R2 does not delete it §3.12.6 §3.12.9", async () => {
    const id = uniqueId();
    const { path } = await createPet({ id, photoUrls: [] });
    const began = Date.now();
    const IMAGES = afterPut(
      async () => {
        await send("DELETE", path);
        await createPet({ id, photoUrls: [] });
        await runScheduled({}, began + HOUR_MS - 1);
      },
      new Calls(() => DOWN),
    );
    expect((await uploadTo(id, clientWith({ IMAGES }))).status).toBe(404);
    expect(await storedImages(id)).toHaveLength(1);
    await runScheduled({}, Date.now() + HOUR_MS);
    expect(await storedImages(id)).toEqual([]);
    expect(await knownImages(id)).toEqual([]);
  });
});

test.each([
  ["and forgotten", {}],
  ["while R2 does not delete it", downR2()],
])(
  "an upload that was given up before it ended, %s, is answered 503, and the pet names no image §3.12.6",
  async (_, bindings) => {
    const { id, path, shown } = await createPet({ photoUrls: [] });
    const IMAGES = afterPut(async () =>
      runScheduled(bindings, Date.now() + 2 * HOUR_MS).catch(() => undefined),
    );
    expect((await uploadTo(id, clientWith({ IMAGES }))).status).toBe(503);
    expect((await send("GET", path)).json).toEqual(shown);
    await runScheduled();
    expect(await storedImages(id)).toEqual([]);
  },
);

test("of two uploads at once with one idempotency key, one image stays §3.12.6", async () => {
  const { id, path } = await createPet({ photoUrls: [] });
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const once = async (client = send) =>
    client("POST", `${path}/uploadImage`, {
      ...upload(),
      headers,
    });
  // The second begins and ends while the first is at R2.
  const first = await once(clientWith({ IMAGES: afterPut(async () => once()) }));
  expect(first.status).toBe(200);
  await runScheduled({}, Date.now() + 2 * HOUR_MS);
  const { photoUrls } = (await send("GET", path)).json as { photoUrls: string[] };
  expect(photoUrls).toHaveLength(1);
  expect(await storedImages(id)).toHaveLength(1);
  expect((await fetchBytes("GET", String(photoUrls[0]).replace("/v2", ""))).bytes).toEqual(PNG);
});

describe("the hourly run", () => {
  test("that finds R2 down leaves all as it is, and the next one finishes it §3.7.4", async () => {
    const { id, path } = await picturedPet();
    await clientWith(downR2())("DELETE", path);
    await expect(runScheduled(downR2())).rejects.toThrow("a binding failed");
    expect(await knownImages(id)).toEqual([0]);
    expect(await storedImages(id)).toHaveLength(1);
    await runScheduled();
    expect(await knownImages(id)).toEqual([]);
    expect(await storedImages(id)).toEqual([]);
  });

  // One of the calls is for the idempotency keys.
  test.each([0, 1, 2])(
    "that D1 fails at its call %i is finished by the next one",
    async (faulty) => {
      const { id, path } = await picturedPet();
      await clientWith(downR2())("DELETE", path);
      await expect(runScheduled(faultyD1((call) => call === faulty))).rejects.toThrow("D1 failed");
      await runScheduled();
      expect(await knownImages(id)).toEqual([]);
      expect(await storedImages(id)).toEqual([]);
    },
  );

  test("deletes at most 10,000 images, by 10 calls to R2, and leaves the others to the next one", async () => {
    const insert = env.DB.prepare(
      `INSERT INTO pet_images (petId, name, dueAt)
       SELECT 5000000000, 'none-' || value, 0 FROM json_each(?)`,
    );
    const numbers = Array.from({ length: 10_500 }, (_, number) => number);
    await insert.bind(JSON.stringify(numbers)).run();
    const calls = new Calls();
    await runScheduled({ IMAGES: r2Through(calls) });
    expect(calls.count).toBe(10);
    expect(await knownImages(5_000_000_000)).toHaveLength(500);
    await runScheduled();
    expect(await knownImages(5_000_000_000)).toEqual([]);
  });

  test("without anything to do makes one call to D1 for it, and none to R2", async () => {
    const [d1, r2] = [new Calls(), new Calls()];
    await runScheduled({ DB: d1Through(d1), IMAGES: r2Through(r2) });
    // The other is for the idempotency keys.
    expect([d1.count, r2.count]).toEqual([2, 0]);
  });

  test("keeps every image that a pet has", async () => {
    const { id } = await picturedPet();
    await runScheduled({}, Date.now() + 1000 * HOUR_MS);
    expect(await storedImages(id)).toHaveLength(1);
    expect(await knownImages(id)).toEqual([null]);
  });
});
