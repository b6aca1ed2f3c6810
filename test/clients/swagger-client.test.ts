import SwaggerClient from "swagger-client";
import type { Client, Result } from "swagger-client";
import { describe, expect, test } from "vitest";
import { documentsOf } from "../../scripts/openapi/documents.ts";
import { fetchBytes } from "../bytes.ts";
import {
  createPet,
  createUser,
  freeOrderIds,
  placeOrder,
  uniqueId,
  uniqueName,
  userPath,
} from "../fixtures.ts";
import { PNG } from "../images.ts";
import { send } from "../client.ts";
import classicPetstore from "./classic-petstore.json";

const BASE = "http://petstore.test/v2";

/** Calls an operation; `content` is the body, or the fields of a form. */
type Call = (
  operationId: string,
  parameters?: Readonly<Record<string, unknown>>,
  content?: { readonly body: unknown } | { readonly form: Readonly<Record<string, unknown>> },
) => Promise<Result>;

interface Fetched {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: BodyInit;
}

async function fetchFromWorker(url: string, { method, headers, body }: Fetched): Promise<Response> {
  if (!url.startsWith(`${BASE}/`)) throw new Error(`${url} is not of this server`);
  const sent = { headers, ...(body !== undefined && { body }) };
  const answer = await fetchBytes(method, url.slice(BASE.length), sent);
  return new Response(answer.bytes, { status: answer.status, headers: answer.headers });
}

async function clientOf(document: object): Promise<Client> {
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
  expect(client.errors).toEqual([]);
  return client;
}

const success = (message: unknown) => ({
  status: 200,
  body: { code: 200, type: "unknown", message },
});

/** What a call throws where the service answers with an error. */
const refusal = (status: number, message: string) => ({
  status,
  response: { body: { code: status, type: "error", message } },
});

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

const classicOrder = { petId: 1, quantity: 7, shipDate: "2026-11-21T10:15:30.123Z" };

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

async function missingPet(): Promise<{ petId: number }> {
  const { id, path } = await createPet();
  await send("DELETE", path);
  return { petId: id };
}

async function createsUsers(call: Call, operationId: string): Promise<void> {
  const users = [classicUser(), classicUser()];
  expect(await call(operationId, {}, { body: users })).toMatchObject(success("ok"));
  for (const user of users) {
    expect((await send("GET", userPath(user.username))).json).toEqual(user);
  }
  await expect(call(operationId, {}, { body: users })).rejects.toMatchObject(
    refusal(409, "Duplicate user"),
  );
}

/** For each operation, what a client sees of it. */
const OPERATIONS: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  addPet: async (call) => {
    const pet = classicPet();
    const added = await call("addPet", {}, { body: pet });
    expect(added).toMatchObject({ status: 200, body: pet });
    const commas = { ...classicPet(), photoUrls: "1.png,2.png" };
    expect(await call("addPet", {}, { body: commas })).toMatchObject({ status: 200, body: commas });
    await expect(call("addPet", {}, { body: { name: "doggie" } })).rejects.toMatchObject(
      refusal(405, "Invalid input"),
    );
  },

  updatePet: async (call) => {
    const { id } = await createPet({ tags: ["old"] });
    const pet = { ...classicPet(), id };
    expect(await call("updatePet", {}, { body: pet })).toMatchObject({ status: 200, body: pet });
    expect((await send("GET", `/pet/${id}`)).json).toEqual(pet);
    const { petId } = await missingPet();
    const missing = call("updatePet", {}, { body: { ...pet, id: petId } });
    await expect(missing).rejects.toMatchObject(refusal(404, "Pet not found"));
  },

  findPetsByStatus: async (call) => {
    const pending = await createPet({ status: "pending" });
    const sold = await createPet({ status: "sold" });
    const available = await createPet({ status: "available" });
    const found = await call("findPetsByStatus", { status: ["pending", "sold"] });
    expect(found.status).toBe(200);
    expect(found.body).toEqual(expect.arrayContaining([pending.shown, sold.shown]));
    expect(found.body).not.toContainEqual(available.shown);
    await expect(call("findPetsByStatus", { status: ["lost"] })).rejects.toMatchObject(
      refusal(400, "Invalid status value"),
    );
  },

  findPetsByTags: async (call) => {
    const [one, other] = [uniqueName("tag & more"), uniqueName("tag/ü")];
    const pets = [
      await createPet({ tags: [{ id: 1, name: one }] }),
      await createPet({ tags: [{ id: 2, name: other }] }),
    ];
    const found = await call("findPetsByTags", { tags: [one, other] });
    expect(found).toMatchObject({ status: 200, body: pets.map(({ shown }) => shown) });
    await expect(call("findPetsByTags", { tags: [""] })).rejects.toMatchObject({ status: 400 });
  },

  getPetById: async (call) => {
    const pet = classicPet();
    const { id, shown, etag } = await createPet(pet);
    const found = await call("getPetById", { petId: id });
    expect(found).toMatchObject({ status: 200, body: shown, headers: { etag } });
    await expect(call("getPetById", await missingPet())).rejects.toMatchObject(
      refusal(404, "Pet not found"),
    );
    await expect(call("getPetById", { petId: "dog" })).rejects.toMatchObject(
      refusal(400, "Invalid ID supplied"),
    );
  },

  updatePetWithForm: async (call) => {
    const { id, shown } = await createPet(classicPet());
    const fields = { name: "Max & Möritz+", status: "sold" };
    expect(await call("updatePetWithForm", { petId: id }, { form: fields })).toMatchObject(
      success(String(id)),
    );
    expect((await send("GET", `/pet/${id}`)).json).toEqual({ ...shown, ...fields });
    await expect(
      call("updatePetWithForm", { petId: id }, { form: { status: "lost" } }),
    ).rejects.toMatchObject(refusal(405, "Invalid input"));
  },

  deletePet: async (call) => {
    const { id, path } = await createPet();
    const parameters = { petId: id, api_key: "special-key" };
    expect(await call("deletePet", parameters)).toMatchObject(success(String(id)));
    expect((await send("GET", path)).status).toBe(404);
    await expect(call("deletePet", parameters)).rejects.toMatchObject(
      refusal(404, "Pet not found"),
    );
  },

  uploadFile: async (call) => {
    const { id, path } = await createPet({ photoUrls: ["string"] });
    const file = new File([PNG], "rex.png", { type: "image/png" });
    const form = { additionalMetadata: "at the lake", file };
    expect(await call("uploadFile", { petId: id }, { form })).toMatchObject(
      success(`additionalMetadata: at the lake\nFile uploaded to ./rex.png, ${PNG.length} bytes`),
    );
    const url = expect.stringMatching(/^\/v2\/pet\/\d+\/images\/.+\.png$/) as unknown;
    expect((await send("GET", path)).json).toMatchObject({ photoUrls: ["string", url] });
    const text = new File(["text"], "rex.png", { type: "image/png" });
    await expect(call("uploadFile", { petId: id }, { form: { file: text } })).rejects.toMatchObject(
      refusal(415, "Unsupported media type"),
    );
  },

  getPetImage: async (call) => {
    const { id, path } = await createPet({ photoUrls: [] });
    const body = new FormData();
    body.set("file", new File([PNG], "rex.png"));
    await send("POST", `${path}/uploadImage`, { body });
    const { photoUrls } = (await send("GET", path)).json as { photoUrls: string[] };
    const name = photoUrls[0]?.split("/").at(-1);
    const image = await call("getPetImage", { petId: id, name });
    expect(image).toMatchObject({ status: 200, headers: { "content-type": "image/png" } });
    expect(await (image.data as Blob).bytes()).toEqual(PNG);
    await expect(call("getPetImage", { petId: id, name: "rex.png" })).rejects.toMatchObject({
      status: 404,
    });
  },

  getInventory: async (call) => {
    const before = (await call("getInventory")).body as Record<string, number>;
    expect(Object.keys(before).toSorted()).toEqual(["available", "pending", "sold"]);
    await createPet({ status: "sold" });
    expect(await call("getInventory")).toMatchObject({
      status: 200,
      body: { ...before, sold: Number(before["sold"]) + 1 },
    });
  },

  placeOrder: async (call) => {
    const order = { ...classicOrder, id: uniqueId(), status: "placed", complete: true };
    expect(await call("placeOrder", {}, { body: order })).toMatchObject({
      status: 200,
      body: order,
    });
    await expect(call("placeOrder", {}, { body: { quantity: -1 } })).rejects.toMatchObject(
      refusal(400, "Invalid order"),
    );
  },

  getOrderById: async (call) => {
    await freeOrderIds();
    const { shown } = await placeOrder({ ...classicOrder, id: 7, complete: false });
    expect(await call("getOrderById", { orderId: 7 })).toMatchObject({ status: 200, body: shown });
    await expect(call("getOrderById", { orderId: 8 })).rejects.toMatchObject(
      refusal(404, "Order not found"),
    );
    await expect(call("getOrderById", { orderId: 11 })).rejects.toMatchObject(
      refusal(400, "Invalid ID supplied"),
    );
  },

  deleteOrder: async (call) => {
    const { id } = await placeOrder({ ...classicOrder, id: uniqueId() });
    expect(await call("deleteOrder", { orderId: id })).toMatchObject(success(String(id)));
    await expect(call("deleteOrder", { orderId: id })).rejects.toMatchObject(
      refusal(404, "Order not found"),
    );
  },

  createUser: async (call) => {
    const user = classicUser();
    expect(await call("createUser", {}, { body: user })).toMatchObject(success(String(user.id)));
    expect((await send("GET", userPath(user.username))).json).toEqual(user);
    const other = { ...classicUser(), username: user.username };
    await expect(call("createUser", {}, { body: other })).rejects.toMatchObject(
      refusal(409, "Duplicate user"),
    );
  },

  createUsersWithArrayInput: async (call) => createsUsers(call, "createUsersWithArrayInput"),

  createUsersWithListInput: async (call) => createsUsers(call, "createUsersWithListInput"),

  loginUser: async (call) => {
    const { shown } = await createUser({ password: "p&ss=wörd +%" });
    const { username, password } = shown;
    const { status, headers, body } = await call("loginUser", { username, password });
    expect(status).toBe(200);
    expect(Number(headers["x-rate-limit"])).toBeGreaterThan(0);
    expect(Date.parse(String(headers["x-expires-after"]))).toBeGreaterThan(Date.now());
    expect(body).toEqual({
      code: 200,
      type: "unknown",
      message: expect.stringMatching(/^logged in user session:[\w-]{43}$/) as unknown,
    });
    await expect(call("loginUser", { username, password: "wrong" })).rejects.toMatchObject(
      refusal(400, "Invalid username/password supplied"),
    );
  },

  logoutUser: async (call) => {
    expect(await call("logoutUser")).toMatchObject(success("ok"));
  },

  getUserByName: async (call) => {
    const { shown } = await createUser({ ...classicUser(), username: uniqueName("a/b c?ü") });
    const { username } = shown;
    expect(await call("getUserByName", { username })).toMatchObject({ status: 200, body: shown });
    const missing = { username: uniqueName("nobody") };
    await expect(call("getUserByName", missing)).rejects.toMatchObject(
      refusal(404, "User not found"),
    );
  },

  updateUser: async (call) => {
    const { id, path, shown } = await createUser(classicUser());
    const { username } = shown;
    const user = { ...classicUser(), id, username };
    expect(await call("updateUser", { username }, { body: user })).toMatchObject(
      success(String(id)),
    );
    expect((await send("GET", path)).json).toEqual(user);
    const missing = { username: uniqueName("nobody") };
    await expect(call("updateUser", missing, { body: user })).rejects.toMatchObject(
      refusal(404, "User not found"),
    );
  },

  deleteUser: async (call) => {
    const { path, shown } = await createUser();
    const { username } = shown;
    expect(await call("deleteUser", { username })).toMatchObject(success(username));
    expect((await send("GET", path)).status).toBe(404);
    await expect(call("deleteUser", { username })).rejects.toMatchObject(
      refusal(404, "User not found"),
    );
  },
};

/** As they are served: without the host of another server. */
const served = documentsOf("open");
const documentOf = (file: string) => JSON.parse(served[file] ?? "") as { readonly paths: object };

function operationIdsOf(document: { readonly paths: object }): string[] {
  return Object.values(document.paths).flatMap((item: Record<string, { operationId: string }>) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
}

describe.each([
  ["our openapi.json", documentOf("openapi.json"), "OpenAPI"],
  ["our swagger.json", documentOf("swagger.json"), "Swagger"],
  ["a description of the classic Petstore", classicPetstore, "Swagger"],
] as const)("swagger-client driven by %s", (_, document, kind) => {
  const client = clientOf(document);
  const call: Call = async (operationId, parameters = {}, content) => {
    const { body, form }: { body?: unknown; form?: object } = content ?? {};
    return (await client).execute({
      operationId,
      userFetch: fetchFromWorker,
      ...(kind === "OpenAPI"
        ? { parameters, requestBody: body ?? form }
        : { parameters: { ...parameters, ...(body !== undefined && { body }), ...form } }),
    });
  };
  const operationIds = operationIdsOf(document);

  test("has no operation that is not called here", () => {
    expect(operationIds.filter((id) => !(id in OPERATIONS))).toEqual([]);
    expect(operationIds.length).toBeGreaterThanOrEqual(20);
  });

  test.each(Object.entries(OPERATIONS).filter(([id]) => operationIds.includes(id)))(
    "calls %s",
    async (__, calls) => {
      expect.hasAssertions();
      await calls(call);
    },
  );
});
