// swagger-client, with which Swagger UI sends: calls every operation of a served Worker, by three documents. run.ts
// runs this file, and names the server in PETSTORE.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import SwaggerClient from "swagger-client";
import type { Result } from "swagger-client";
import classicPetstore from "../../test/clients/classic-petstore.json" with { type: "json" };
import { send, succeed } from "../http.ts";
import { HERE } from "./command.ts";

const BASE = process.env["PETSTORE"] ?? "";
const IMAGE = join(HERE, "examples", "rex.png");

/** Calls an operation; `content` is the body, or the fields of a form. @throws Error where it is refused */
type Call = (
  operationId: string,
  parameters?: Readonly<Record<string, unknown>>,
  content?: { readonly body: unknown } | { readonly form: Readonly<Record<string, unknown>> },
) => Promise<Result>;

/** Creates a resource without the client. @returns it, as the service shows it, and its tag */
async function create(path: string, json: object) {
  const { etag, json: shown } = await succeed(BASE, `POST ${path}`, { json });
  return { etag, shown: shown as Readonly<Record<string, unknown>> & { readonly id: number } };
}

const look = async (path: string) => (await send(BASE, `GET ${path}`)).json;

const userPath = (username: string) => `/user/${encodeURIComponent(username)}`;

/** The call succeeds, with a result that has at least these members. */
async function succeeds(result: Promise<Result>, body: object): Promise<void> {
  assert.partialDeepStrictEqual(await result, { status: 200, body });
}

/** The call succeeds where the specification shows no body. */
const isDone = async (result: Promise<Result>, message: string) =>
  succeeds(result, { code: 200, type: "unknown", message });

/** The call throws what the service answered: an error. */
async function isRefused(result: Promise<Result>, status: number, message: string) {
  await assert.rejects(result, (error: Error & { readonly response?: Result }) => {
    assert.partialDeepStrictEqual(error.response?.body, {
      code: status,
      type: "error",
      message,
    });
    assert.equal(error.response?.status, status);
    return true;
  });
}

let last = 1_000_000_000;

const uniqueId = () => ++last;

const uniqueName = (stem: string) => `${stem}-${++last}`;

const classicPet = () => ({
  id: uniqueId(),
  category: { id: 1, name: "Dogs" },
  name: "doggie",
  photoUrls: ["https://pets.example/1.png", "string"],
  tags: [
    { id: 1, name: "brown" },
    { id: 2, name: uniqueName("tag") },
  ],
  status: "available",
});

const classicOrder = (id: number) => ({
  id,
  petId: 1,
  quantity: 7,
  shipDate: "2026-11-21T10:15:30.123Z",
});

const classicUser = () => ({
  id: uniqueId(),
  username: uniqueName("theUser"),
  firstName: "John",
  lastName: "James",
  email: "john@email.com",
  password: "12345",
  phone: "12345",
  userStatus: 1,
});

async function createsUsers(call: Call, operationId: string): Promise<void> {
  const users = [classicUser(), classicUser()];
  await isDone(call(operationId, {}, { body: users }), "ok");
  for (const user of users) {
    assert.deepEqual(await look(userPath(user.username)), user);
  }
}

/** For each operation, what a client sees of it. */
const OPERATIONS: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  addPet: async (call) => {
    const pet = classicPet();
    await succeeds(call("addPet", {}, { body: pet }), pet);
    const commas = { ...classicPet(), photoUrls: "1.png,2.png" };
    await succeeds(call("addPet", {}, { body: commas }), commas);
    await isRefused(call("addPet", {}, { body: { name: "doggie" } }), 405, "Invalid input");
  },

  updatePet: async (call) => {
    const { id } = (await create("/pet", { ...classicPet(), tags: ["old"] })).shown;
    const pet = { ...classicPet(), id };
    await succeeds(call("updatePet", {}, { body: pet }), pet);
    assert.deepEqual(await look(`/pet/${id}`), pet);
  },

  findPetsByStatus: async (call) => {
    const { shown: pending } = await create("/pet", { ...classicPet(), status: "pending" });
    const { shown: sold } = await create("/pet", { ...classicPet(), status: "sold" });
    const { shown: available } = await create("/pet", classicPet());
    const found = await call("findPetsByStatus", { status: ["pending", "sold"] });
    const has = (pet: object) =>
      (found.body as object[]).some((other) => isDeepStrictEqual(other, pet));
    assert.deepEqual([pending, sold, available].map(has), [true, true, false]);
  },

  findPetsByTags: async (call) => {
    const tags = [uniqueName("tag & more"), uniqueName("tag/ü")];
    const pets = [
      (await create("/pet", { ...classicPet(), tags: [{ id: 1, name: tags[0] }] })).shown,
      (await create("/pet", { ...classicPet(), tags: [{ id: 2, name: tags[1] }] })).shown,
    ];
    assert.deepEqual((await call("findPetsByTags", { tags })).body, pets);
  },

  getPetById: async (call) => {
    const { shown, etag } = await create("/pet", classicPet());
    const found = await call("getPetById", { petId: shown.id });
    assert.partialDeepStrictEqual(found, { status: 200, body: shown, headers: { etag } });
    await isRefused(call("getPetById", { petId: uniqueId() }), 404, "Pet not found");
  },

  updatePetWithForm: async (call) => {
    const { shown } = await create("/pet", classicPet());
    const { id: petId } = shown;
    const form = { name: "Max & Möritz+", status: "sold" };
    await isDone(call("updatePetWithForm", { petId }, { form }), String(petId));
    assert.deepEqual(await look(`/pet/${petId}`), { ...shown, ...form });
  },

  deletePet: async (call) => {
    const { id } = (await create("/pet", classicPet())).shown;
    const parameters = { petId: id, api_key: "special-key" };
    await isDone(call("deletePet", parameters), String(id));
    assert.equal((await send(BASE, `GET /pet/${id}`)).status, 404);
  },

  uploadFile: async (call) => {
    const { id: petId } = (await create("/pet", { ...classicPet(), photoUrls: ["string"] })).shown;
    const file = await imageFile();
    const form = { additionalMetadata: "at the lake", file };
    await isDone(
      call("uploadFile", { petId }, { form }),
      `additionalMetadata: at the lake\nFile uploaded to ./rex.png, ${file.size} bytes`,
    );
    const [other, name] = await imagesOf(petId);
    assert.equal(other, "string");
    assert.match(String(name), /\.png$/);
  },

  getPetImage: async (call) => {
    const { id: petId } = (await create("/pet", { ...classicPet(), photoUrls: [] })).shown;
    await call("uploadFile", { petId }, { form: { file: await imageFile() } });
    const [name] = await imagesOf(petId);
    const image = await call("getPetImage", { petId, name });
    const headers = { "content-type": "image/png" };
    assert.partialDeepStrictEqual(image, { status: 200, headers });
    const bytes = Buffer.from(await (image.data as Blob).arrayBuffer());
    assert.deepEqual(bytes, await readFile(IMAGE));
  },

  getInventory: async (call) => {
    const before = (await call("getInventory")).body as Record<string, number>;
    assert.deepEqual(Object.keys(before).toSorted(), ["available", "pending", "sold"]);
    await create("/pet", { ...classicPet(), status: "sold" });
    await succeeds(call("getInventory"), { ...before, sold: Number(before["sold"]) + 1 });
  },

  placeOrder: async (call) => {
    const order = { ...classicOrder(uniqueId()), status: "placed", complete: true };
    await succeeds(call("placeOrder", {}, { body: order }), order);
  },

  getOrderById: async (call) => {
    const { shown } = await create("/store/order", { ...classicOrder(7), complete: false });
    await succeeds(call("getOrderById", { orderId: 7 }), shown);
    // The walk by the next document places it, too.
    await succeed(BASE, "DELETE /store/order/7");
  },

  deleteOrder: async (call) => {
    const { id: orderId } = (await create("/store/order", classicOrder(uniqueId()))).shown;
    await isDone(call("deleteOrder", { orderId }), String(orderId));
  },

  createUser: async (call) => {
    const user = classicUser();
    await isDone(call("createUser", {}, { body: user }), String(user.id));
    assert.deepEqual(await look(userPath(user.username)), user);
  },

  createUsersWithArrayInput: async (call) => createsUsers(call, "createUsersWithArrayInput"),

  createUsersWithListInput: async (call) => createsUsers(call, "createUsersWithListInput"),

  loginUser: async (call) => {
    const { username, password } = { ...classicUser(), password: "p&ss=wörd +%" };
    await create("/user", { username, password });
    const { status, headers, body } = await call("loginUser", { username, password });
    assert.equal(status, 200);
    assert.ok(Number(headers["x-rate-limit"]) > 0);
    assert.ok(Date.parse(String(headers["x-expires-after"])) > Date.now());
    const { message, ...rest } = body as { readonly message: string };
    assert.match(message, /^logged in user session:[\w-]{43}$/);
    assert.deepEqual(rest, { code: 200, type: "unknown" });
    const wrong = call("loginUser", { username, password: "wrong" });
    await isRefused(wrong, 400, "Invalid username/password supplied");
  },

  logoutUser: async (call) => isDone(call("logoutUser"), "ok"),

  getUserByName: async (call) => {
    const user = { ...classicUser(), username: uniqueName("a/b c?ü") };
    await create("/user", user);
    await succeeds(call("getUserByName", { username: user.username }), user);
  },

  updateUser: async (call) => {
    const { id, username } = classicUser();
    await create("/user", { id, username });
    const user = { ...classicUser(), id, username };
    await isDone(call("updateUser", { username }, { body: user }), String(id));
    assert.deepEqual(await look(userPath(username)), user);
  },

  deleteUser: async (call) => {
    const { username } = classicUser();
    await create("/user", { username });
    await isDone(call("deleteUser", { username }), username);
    assert.equal((await send(BASE, `GET ${userPath(username)}`)).status, 404);
  },
};

const imageFile = async () => new File([await openAsBlob(IMAGE)], "rex.png", { type: "image/png" });

/** The last parts of a pet's `photoUrls`: what those of uploaded images end with is their name. */
async function imagesOf(petId: unknown): Promise<(string | undefined)[]> {
  return ((await look(`/pet/${String(petId)}`)) as { photoUrls: string[] }).photoUrls.map((url) =>
    url.split("/").at(-1),
  );
}

const served = async (file: string) => (await look(file)) as object;

function operationIdsOf(document: object): string[] {
  const { paths } = document as {
    paths: Record<string, Record<string, { readonly operationId: string }>>;
  };
  return Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .map(({ operationId }) => operationId);
}

for (const [name, document, kind] of [
  ["our openapi.json", await served("/openapi.json"), "OpenAPI"],
  ["our swagger.json", await served("/swagger.json"), "Swagger"],
  ["a description of the classic Petstore", classicPetstore, "Swagger"],
] as const) {
  const operationIds = operationIdsOf(document);
  const client = await SwaggerClient({
    // The client writes into its document.
    spec: structuredClone(document),
    url: `${BASE}/swagger.json`,
    authorizations: {
      api_key: "special-key",
      bearer: "anything",
      petstore_auth: { token: { access_token: "anything" } },
    },
  });
  const call: Call = async (operationId, parameters = {}, content) => {
    const { body, form }: { body?: unknown; form?: object } = content ?? {};
    return client.execute({
      operationId,
      ...(kind === "OpenAPI"
        ? { parameters, requestBody: body ?? form }
        : { parameters: { ...parameters, ...(body !== undefined && { body }), ...form } }),
    });
  };

  describe(`swagger-client driven by ${name}`, () => {
    test("reads the document without an error", () => {
      assert.deepEqual(client.errors, []);
    });

    test("has no operation that is not called here §9.6", () => {
      const missing = operationIds.filter((id) => !(id in OPERATIONS));
      assert.deepEqual(missing, []);
      assert.ok(operationIds.length >= 20);
    });

    for (const [id, calls] of Object.entries(OPERATIONS)) {
      if (operationIds.includes(id)) test(`calls ${id} §9.6`, async () => calls(call));
    }
  });
}
