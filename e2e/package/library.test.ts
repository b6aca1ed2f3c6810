// The library as a user's test has it. run.ts runs this where it installs the package.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startPetStore, type FaultRule, type OperationId, type PetStore, type StoreData } from "pet-store-service";

const REX = {
  name: "Rex",
  photoUrls: ["a.png"],
  tags: ["dog", { id: 1 }],
  status: "sold",
} as const;

let store: PetStore;
before(async () => {
  store = await startPetStore({ data: "empty" });
});
beforeEach(async () => store.reset());
after(async () => store.stop());

async function status(url: string, json?: object): Promise<number> {
  const response = await fetch(url, {
    method: json ? "POST" : "GET",
    headers: { "Content-Type": "application/json" },
    ...(json && { body: JSON.stringify(json) }),
  });
  await response.body?.cancel();
  return response.status;
}

test("each call starts a store of its own, and stopping one leaves the others", async () => {
  const others = await Promise.all([startPetStore({ data: "empty" }), startPetStore()]);
  assert.equal(await status(`${store.url}/pet`, REX), 200);
  const counts = await Promise.all(others.map(async (other) => (await other.data()).pets.length));
  assert.deepEqual(counts, [0, 10]);
  for (const other of others) await other.stop();
  assert.equal(await status(others[0].url.replace(/\/v2$/, "")), 404);
  assert.equal((await store.data()).pets.length, 1);
});

test("a reset restores the initial data, or sets other data", async () => {
  await status(`${store.url}/pet`, REX);
  await store.reset();
  assert.deepEqual(await store.data(), { pets: [], orders: [], users: [] });
  const data: StoreData = { pets: [{ id: 5, ...REX }] };
  await store.reset(data);
  assert.deepEqual((await store.data()).pets, data.pets);
  await store.reset("classic");
  await store.reset(await store.data());
  assert.equal((await store.data()).users.length, 10);
});

test("an invalid reset names the invalid fields, and changes nothing", async () => {
  await status(`${store.url}/pet`, REX);
  const data = { pets: [{ name: "", photoUrls: [] }] };
  await assert.rejects(store.reset(data), /pets\.0\.name must not be empty/);
  assert.equal((await store.data()).pets.length, 1);
  await assert.rejects(startPetStore({ data }), /pets\.0\.name/);
});

test("rules inject faults until a reset", async () => {
  const rule: FaultRule = { operationId: "addPet", status: 503, after: true };
  await store.faults([rule]);
  assert.equal(await status(`${store.url}/pet`, REX), 503);
  assert.equal((await store.data()).pets.length, 1);
  // @ts-expect-error -- a rule has no such field
  await assert.rejects(store.faults([{ methd: "GET" }]), /0\.methd/);
  await store.reset();
  assert.equal(await status(`${store.url}/pet`, REX), 200);
});

test("the types have the ids of all operations", async () => {
  const ids = {
    addPet: true,
    createUser: true,
    createUsersWithArrayInput: true,
    createUsersWithListInput: true,
    deleteOrder: true,
    deletePet: true,
    deleteUser: true,
    findPetsByStatus: true,
    findPetsByTags: true,
    getInventory: true,
    getOrderById: true,
    getPetById: true,
    getPetImage: true,
    getUserByName: true,
    loginUser: true,
    logoutUser: true,
    manageMcp: true,
    mcp: true,
    placeOrder: true,
    updatePet: true,
    updatePetWithForm: true,
    updateUser: true,
    uploadFile: true,
  } satisfies Record<OperationId, true>;
  // @ts-expect-error -- there is no such operation
  await assert.rejects(store.faults([{ operationId: "getPet", status: 503 }]), ({ message }: Error) => {
    const [, all = ""] = /must be one of (.*)/.exec(message) ?? [];
    assert.deepEqual(all.split(", ").toSorted(), Object.keys(ids));
    return true;
  });
});

test("a response is cut off with its connection, or only its JSON is", async () => {
  await store.reset("classic");
  for (const path of ["/pet/1", "/pet/findByStatus?status=available"]) {
    await store.faults([{ break: "body" }]);
    await assert.rejects(async () => (await fetch(store.url + path)).text(), /terminated/);
    await store.faults([{ break: "json" }]);
    await assert.rejects(async () => (await fetch(store.url + path)).json(), SyntaxError);
  }
});

test("requests() returns what came since the reset, newest first, with its errors", async () => {
  assert.deepEqual(await store.requests(), []);
  for (let count = 1; count <= 20; count++) await status(`${store.url}/pet/${count}`);
  await status(`${store.url}/pet`, { name: "" });
  const [newest, previous, ...others] = await store.requests();
  assert.deepEqual(
    newest?.errors?.map(({ path }) => path),
    ["name", "photoUrls"],
  );
  assert.equal(previous?.path, "/v2/pet/20");
  assert.equal(others.length, 19);
  assert.equal((await store.requests({ status: "4xx", operationId: "addPet" })).length, 1);
});

test("request() waits for a request", async () => {
  const waiting = store.request({ operationId: "getPetById", status: 404 });
  await status(`${store.url}/pet/7?a=1`);
  assert.equal((await waiting).path, "/v2/pet/7?a=1");
  await assert.rejects(store.request({ status: 418 }, { timeout: 50 }), /418/);
});

test("request() returns the oldest request, or fails after its timeout", async () => {
  for (let id = 1; id <= 3; id++) await status(`${store.url}/pet/${id}`);
  assert.equal((await store.request({ operationId: "getPetById" })).path, "/v2/pet/1");
  for (const timeout of [0, 300]) {
    await assert.rejects(store.request({ status: 418 }, { timeout }), {
      message: `No request came in ${timeout} ms: {"status":418}`,
    });
  }
  // @ts-expect-error -- all requests are searched
  await assert.rejects(store.request({ limit: 1 }), { name: "TypeError", message: /limit is not a filter/ });
  // @ts-expect-error -- the timeout is an option
  await assert.rejects(store.request({ wait: 1 }), { name: "TypeError", message: /wait is not a filter/ });
});

test("request() returns a delayed request at once, and with a status when its response is sent", async () => {
  await store.faults([{ delayMs: 1000, status: 503 }]);
  const sent = status(`${store.url}/pet/1`);
  const waiting = await store.request({ operationId: "getPetById" });
  assert.equal(waiting.waiting, true);
  const complete = await store.request({ status: 503 });
  assert.equal(complete.id, waiting.id);
  assert.equal(complete.waiting, undefined);
  assert.equal(await sent, 503);
});

test("petstore3Url has the same data", async () => {
  assert.equal(await status(`${store.petstore3Url}/pet`, { ...REX, tags: [] }), 200);
  assert.equal(await status(`${store.url}/pet/1`), 200);
  assert.equal(await status(`${store.petstore3Url}/pet`, { name: "" }), 422);
});

test("with protected access, operations need the API key", async () => {
  const apiKey = "a key of this test";
  const own = await startPetStore({ access: "protected", apiKey });
  assert.equal(await status(`${own.url}/pet`, REX), 401);
  const headers = { "X-API-Key": apiKey };
  const deleted = await fetch(`${own.url}/pet/1`, { method: "DELETE", headers });
  assert.equal(deleted.status, 200);
  await own[Symbol.asyncDispose]();
});

test("a wrong option is named", async () => {
  // @ts-expect-error -- there is no such option
  await assert.rejects(startPetStore({ dat: 1 }), /dat is not an option/);
  // @ts-expect-error -- a number
  await assert.rejects(startPetStore({ port: "x" }), /port takes a number/);
  await assert.rejects(startPetStore({ port: 65_536 }), /port takes a number/);
  await assert.rejects(startPetStore({ publicUrl: "pets.example" }), /publicUrl must be an absolute/);
  // @ts-expect-error -- a key is missing
  await assert.rejects(startPetStore({ access: "protected" }), /apiKey/);
  await assert.rejects(startPetStore({ access: "protected", apiKey: "short" }), /apiKey must have at least 16/);
  // @ts-expect-error -- a key without protected access
  await assert.rejects(startPetStore({ apiKey: "a key of this test" }), /must be used together/);
  for (const options of [null, 5, "classic", []]) {
    // @ts-expect-error -- not an object
    await assert.rejects(startPetStore(options), { name: "TypeError", message: "startPetStore: takes an object" });
  }
});

test("a store may have a port of its own", async () => {
  const { port } = new URL(store.url);
  await assert.rejects(startPetStore({ port: Number(port) }), /in use/);
});
