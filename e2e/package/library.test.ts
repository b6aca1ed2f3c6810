// Runs in the folder where run.ts installs the package.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, beforeEach, test } from "node:test";
import { Refused, TimedOut, startPetStore } from "pet-store-service";
import type { PetStore } from "pet-store-service";

let store: PetStore;
before(async () => {
  store = await startPetStore({ data: "empty" });
});
after(async () => store.stop());
beforeEach(async () => store.reset());

const REX = { name: "Rex", photoUrls: [], status: "available" } as const;

async function post(url: string, pet: object): Promise<number> {
  const { status, body } = await fetch(`${url}/pet`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(pet),
  });
  await body?.cancel();
  return status;
}

const status = async (url: string) => (await fetch(url)).status;

test("stores are isolated, and stopping one leaves the others", async () => {
  const others = await Promise.all([startPetStore({ data: "empty" }), startPetStore()]);
  assert.equal(await post(store.url, REX), 200);
  const pets = await Promise.all(others.map(async (other) => (await other.data()).pets.length));
  assert.deepEqual(pets, [0, 10]);
  for (const other of others) await other.stop();
  assert.equal((await store.data()).pets.length, 1);
});

test("a reset restores the initial data, or sets other data", async () => {
  await post(store.url, REX);
  await store.reset();
  assert.deepEqual(await store.data(), { pets: [], orders: [], users: [] });
  const data = { pets: [{ id: 5, ...REX }], orders: [], users: [] };
  await store.reset(data);
  assert.deepEqual(await store.data(), data);
  await store.reset("classic");
  await store.reset(await store.data());
  assert.equal((await store.data()).users.length, 10);
});

/** Too deep for `JSON.stringify`. */
const deep = JSON.parse("[".repeat(50_000) + "]".repeat(50_000)) as [];

test("a refused reset names the fault, and changes nothing", async () => {
  const data = { pets: [{ name: "", photoUrls: [] }] };
  await post(store.url, REX);
  await store.faults([{ path: "/pet/1", status: 503 }]);
  await assert.rejects(store.reset(data), (error) => {
    assert.ok(error instanceof Refused);
    assert.match(error.message, /pets\.0\.name must not be empty/);
    return true;
  });
  await assert.rejects(store.reset({ pets: deep }), Refused);
  assert.equal((await store.data()).pets.length, 1);
  assert.equal(await status(`${store.url}/pet/1`), 503);
  await assert.rejects(startPetStore({ data }), Refused);
});

test("a stopped store refuses all calls, and is not created again", async () => {
  const stopped = await startPetStore();
  await stopped.stop();
  for (const call of [
    async () => stopped.reset(),
    async () => stopped.faults([]),
    async () => stopped.data(),
    async () => stopped.requests(),
    async () => stopped.request(),
  ]) {
    await assert.rejects(call, new Refused("The store has stopped."));
  }
  assert.equal(await status(stopped.url.replace(/\/v2$/, "")), 404);
});

test("a store that a client has deleted can be stopped", async () => {
  const deleted = await startPetStore();
  await fetch(deleted.url.replace(/\/v2$/, ""), { method: "DELETE" });
  await deleted.stop();
});

test("rules make requests fail until a reset", async () => {
  await store.faults([{ operationId: "addPet", status: 503, after: true }]);
  assert.equal(await post(store.url, REX), 503);
  assert.equal((await store.data()).pets.length, 1);
  await store.reset();
  assert.equal(await post(store.url, REX), 200);
});

test("an answer breaks with its connection, or only its JSON does §10.6.9 §10.6.10", async () => {
  // A list is streamed.
  const pets = Array.from({ length: 200 }, () => REX);
  await store.reset({ pets });
  for (const path of ["/pet/1", "/pet/findByStatus?status=available"]) {
    const ask = async () => fetch(store.url + path);
    await store.faults([]);
    const length = (await (await ask()).text()).length;
    await store.faults([{ break: "body" }]);
    const broken = await ask();
    assert.equal(broken.status, 200);
    assert.equal(broken.headers.get("Content-Length"), String(length));
    let received = 0;
    await assert.rejects(async () => {
      for await (const chunk of broken.body ?? []) received += chunk.length;
    }, /terminated/);
    assert.equal(received, Math.floor(length / 2));
    await store.faults([{ break: "json" }]);
    const cut = await ask();
    assert.equal(cut.headers.get("Content-Length"), String(received));
    await assert.rejects(cut.json(), SyntaxError);
  }
});

test("requests() returns all requests since the reset, newest first", async () => {
  assert.deepEqual(await store.requests(), []);
  for (let count = 1; count <= 30; count++) {
    await status(`${store.url}/pet/${count}`);
    const requests = await store.requests();
    assert.equal(requests.length, count);
    assert.equal(requests[0]?.path, `/v2/pet/${count}`);
  }
  await post(store.url, { name: "" });
  const [newest] = await store.requests();
  assert.equal(newest?.status, 405);
  assert.deepEqual(
    newest.errors?.map(({ path }) => path),
    ["name", "photoUrls"],
  );
});

test("petstore3Url serves the same data", async () => {
  assert.equal(await post(store.url, REX), 200);
  const pet = await fetch(`${store.petstore3Url}/pet/1`);
  assert.deepEqual(await pet.json(), { id: 1, ...REX });
  assert.equal(await post(store.petstore3Url, { name: "" }), 422);
  assert.equal((await store.requests())[0]?.path, "/api/v3/pet");
});

test("request() waits for a request, which is recorded in full, secrets included", async () => {
  const waiting = store.request({ operationId: "deletePet", status: "4xx" });
  await post(store.url, REX);
  await fetch(`${store.url}/pet/7?a=1`, { method: "DELETE", headers: { api_key: "special" } });
  const { id, query, requestHeaders } = await waiting;
  assert.equal(query, "a=1");
  assert.equal(requestHeaders?.["api_key"], "special");
  const [added, ...others] = await store.requests({ method: "POST", status: 200 });
  assert.deepEqual([added?.requestBody, others], [JSON.stringify(REX), []]);
  await assert.rejects(store.request({ after: id }, { timeout: 10 }), TimedOut);
  await assert.rejects(
    store.requests({ operationId: "addPett" }),
    /must be one of addPet, updatePet/,
  );
});

test("the record survives while the store is idle", async () => {
  await status(`${store.url}/pet/1`);
  // workerd evicts an object from memory after ten idle seconds.
  await sleep(15_000);
  assert.equal((await store.requests()).length, 1);
});

test("stopping the last store ends the server, and the next store starts another", async () => {
  await store.stop();
  await store.stop();
  await assert.rejects(status(`${store.url}/pet/1`));
  store = await startPetStore({ data: "empty" });
  assert.equal(await status(`${store.url}/pet/1`), 404);
});

test("a store with `access` or `port` has a server of its own until it stops", async () => {
  const { port } = new URL(store.url);
  await assert.rejects(startPetStore({ port: Number(port) }), {
    name: "NotStarted",
    code: "EADDRINUSE",
  });
  const own = await startPetStore({ access: "protected", apiKey: "a key" });
  assert.notEqual(new URL(own.url).port, port);
  assert.equal(new URL(own.url).pathname, "/v2");
  assert.equal(own.petstore3Url, `${new URL(own.url).origin}/api/v3`);
  assert.equal(await post(own.url, REX), 401);
  assert.equal(await post(own.petstore3Url, REX), 401);
  const pet = await fetch(`${own.url}/pet/1`, { method: "DELETE", headers: { api_key: "a key" } });
  assert.equal(pet.status, 200);
  assert.equal((await own.data()).pets.length, 9);
  await own.reset("empty");
  assert.deepEqual((await own.data()).pets, []);
  await own.stop();
  const next = await startPetStore({ port: Number(new URL(own.url).port) });
  assert.equal(next.url, own.url);
  assert.equal(await post(next.url, REX), 200);
  await next.stop();
  await assert.rejects(status(`${next.url}/pet/1`));
  assert.equal(await status(`${store.url}/pet/1`), 404);
});

// Calls that only JavaScript can make.
const starts = (options: unknown) => async () => startPetStore(options as object);
const request = (filter: unknown, options?: unknown) => async () =>
  store.request(filter as object, options as object);

test("arguments that would not compile are refused with a sentence", async () => {
  for (const [call, sentence] of [
    [starts("empty"), /^startPetStore takes an object, such as \{ data: "empty" \}$/],
    [starts([]), /^startPetStore takes an object/],
    [starts(null), /^startPetStore takes an object/],
    [starts({ date: 1 }), /^startPetStore takes no date, only data, access, apiKey, port$/],
    [starts({ data: "clasic" }), /data must be one of empty, classic$/],
    [starts({ data: 5 }), /body must be an object$/],
    [starts({ access: "none" }), /^access takes open or protected$/],
    [starts({ apiKey: "a key" }), /^apiKey is for protected access$/],
    [starts({ access: "protected", apiKey: 5 }), /^apiKey takes a value that is not empty$/],
    [starts({ port: "8787" }), /^port takes a number from 0 to 65535$/],
    [starts({ port: 1.5 }), /^port takes a number/],
    [request("addPet"), /^requests takes an object, such as \{ operationId: "addPet" \}$/],
    [request({ operation: "addPet" }), /operation is unknown$/],
    [request({}, 500), /^request takes an object, such as \{ timeout: 5000 \}$/],
    [request({}, { timeOut: 500 }), /^request takes no timeOut, only timeout$/],
    [request({}, { timeout: "500" }), /^timeout takes a number of milliseconds$/],
  ] as const) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof Refused);
      assert.match(error.message, sentence);
      return true;
    });
  }
});

test("disposing of a store stops it", async () => {
  const used = await startPetStore();
  assert.equal(await status(`${used.url}/pet/1`), 200);
  await used[Symbol.asyncDispose]();
  assert.equal(await status(`${used.url}/pet/1`), 404);
});
