// swagger-client, with which Swagger UI sends: calls every operation of a served Worker, by three documents. run.ts
// runs this file, and names the origin of the server in PETSTORE.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import SwaggerClient from "swagger-client";
import type { Result } from "swagger-client";
import classicPetstore from "../../test/clients/classic-petstore.json" with { type: "json" };
import { send } from "../http.ts";
import { HERE } from "./command.ts";

const BASE = `${process.env["PETSTORE"]}/v2`;
const IMAGE = join(HERE, "examples", "rex.png");

type Values = Readonly<Record<string, unknown>>;

/** Calls an operation; `content` is the body, or the fields of a form. @throws Error where it is refused */
type Call = (
  operationId: string,
  parameters?: Values,
  content?: { readonly body: unknown } | { readonly form: Values },
) => Promise<Result>;

const look = async (path: string) => (await send(BASE, `GET ${path}`)).json;

/** What there is of a pet, an order and users, that no other walk has. */
function belongings(number: number) {
  const id = 1_000_000_000 + number;
  const pet = {
    id,
    category: { id: 1, name: "Dogs" },
    name: "doggie",
    photoUrls: ["https://pets.example/1.png", "string"],
    tags: [{ id: 1, name: `tag & more ${number}` }],
    status: "available",
  };
  const other = {
    ...pet,
    id: id + 1000,
    photoUrls: "1.png,2.png",
    tags: [{ id: 2, name: `tag/ü ${number}` }],
    status: "pending",
  };
  const order = { id: 7, petId: 1, quantity: 7, shipDate: "2026-11-21T10:15:30.123Z" };
  const user = {
    id,
    username: `a/b c?ü-${number}`,
    firstName: "John",
    lastName: "James",
    email: "john@email.com",
    password: "p&ss=wörd +%",
    phone: "12345",
    userStatus: 1,
  };
  const users = ["array", "list"].map((list, index) => [
    { ...user, id: id + 1000 * (index + 1), username: `${list}-${number}` },
  ]);
  return { pet, other, order, user, users };
}

/** Calls every operation, and looks what it did. */
async function walk(call: Call, ids: readonly string[], number: number): Promise<void> {
  const { pet, other, order, user, users } = belongings(number);
  const petId = pet.id;
  const { username, password } = user;
  const userPath = `/user/${encodeURIComponent(username)}`;
  /** The call succeeds, with a body that has at least these members. */
  const succeeds = async (body: unknown, ...[id, ...given]: Parameters<Call>): Promise<Result> => {
    const result = await call(id, ...given);
    assert.partialDeepStrictEqual(result, { status: 200, body }, id);
    return result;
  };
  /** The same where the specification shows no body. */
  const isDone = async (message: string, ...asked: Parameters<Call>) =>
    succeeds({ code: 200, type: "unknown", message }, ...asked);
  /** The call throws what the service answered: an error. */
  const isRefused = async (status: number, message: string, ...asked: Parameters<Call>) =>
    assert.rejects(call(...asked), (error: Error & { readonly response?: Result }) => {
      const body = { code: status, type: "error", message };
      assert.partialDeepStrictEqual(error.response, { status, body });
      return true;
    });

  const before = (await call("getInventory")).body as Values;
  await succeeds({ ...pet, tags: [] }, "addPet", {}, { body: { ...pet, tags: [] } });
  await succeeds(pet, "updatePet", {}, { body: pet });
  await succeeds(other, "addPet", {}, { body: other });
  await isRefused(405, "Invalid input", "addPet", {}, { body: { name: "doggie" } });
  const counts = {
    available: Number(before["available"]) + 1,
    pending: Number(before["pending"]) + 1,
  };
  await succeeds(counts, "getInventory");
  const { headers } = await succeeds(pet, "getPetById", { petId });
  assert.equal(headers["etag"], (await send(BASE, `GET /pet/${petId}`)).etag);
  const tags = [...pet.tags, ...other.tags].map((tag) => tag.name);
  assert.deepEqual((await call("findPetsByTags", { tags })).body, [pet, other]);
  await isDone(
    String(petId),
    "updatePetWithForm",
    { petId },
    { form: { name: "Max & Möritz+", status: "sold" } },
  );
  const sold = { ...pet, name: "Max & Möritz+", status: "sold" };
  const found = (await call("findPetsByStatus", { status: ["pending", "sold"] })).body;
  for (const one of [other, sold]) {
    assert.deepEqual(
      (found as { id: number }[]).find(({ id }) => id === one.id),
      one,
    );
  }
  const file = new File([await openAsBlob(IMAGE)], "rex.png", { type: "image/png" });
  await isDone(
    `additionalMetadata: at the lake\nFile uploaded to ./rex.png, ${file.size} bytes`,
    "uploadFile",
    { petId },
    { form: { additionalMetadata: "at the lake", file } },
  );
  const { photoUrls } = (await look(`/pet/${petId}`)) as { photoUrls: string[] };
  const name = photoUrls.at(-1)?.split("/").at(-1);
  // The classic Petstore has no such operation.
  if (ids.includes("getPetImage")) {
    const image = await call("getPetImage", { petId, name });
    assert.equal(image.headers["content-type"], "image/png");
    const bytes = Buffer.from(await (image.data as Blob).arrayBuffer());
    assert.deepEqual(bytes, await readFile(IMAGE));
  }
  await isDone(String(petId), "deletePet", { petId, api_key: "special-key" });
  await isRefused(404, "Pet not found", "getPetById", { petId });

  await succeeds(order, "placeOrder", {}, { body: order });
  await succeeds(order, "getOrderById", { orderId: 7 });
  await isDone("7", "deleteOrder", { orderId: 7 });

  await isDone(String(user.id), "createUser", {}, { body: { ...user, phone: "1" } });
  await isDone("ok", "createUsersWithArrayInput", {}, { body: users[0] });
  await isDone("ok", "createUsersWithListInput", {}, { body: users[1] });
  for (const one of users.flat()) assert.deepEqual(await look(`/user/${one.username}`), one);
  const login = await call("loginUser", { username, password });
  assert.match(String((login.body as Values)["message"]), /^logged in user session:[\w-]{43}$/);
  assert.ok(Date.parse(String(login.headers["x-expires-after"])) > Date.now());
  const wrong = { username, password: "wrong" };
  await isRefused(400, "Invalid username/password supplied", "loginUser", wrong);
  await isDone("ok", "logoutUser");
  await isDone(String(user.id), "updateUser", { username }, { body: user });
  await succeeds(user, "getUserByName", { username });
  await isDone(username, "deleteUser", { username });
  assert.equal((await send(BASE, `GET ${userPath}`)).status, 404);
}

const documents = [
  ["our openapi.json", (await look("/openapi.json")) as object, "OpenAPI"],
  ["our swagger.json", (await look("/swagger.json")) as object, "Swagger"],
  ["a description of the classic Petstore", classicPetstore, "Swagger"],
] as const;

for (const [number, [name, document, kind]] of documents.entries()) {
  const { paths } = document as { paths: Record<string, Record<string, { operationId: string }>> };
  const ids = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
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
  const called = new Set<string>();
  const call: Call = async (operationId, parameters = {}, content) => {
    called.add(operationId);
    const { body, form }: { body?: unknown; form?: object } = content ?? {};
    return client.execute({
      operationId,
      ...(kind === "OpenAPI"
        ? { parameters, requestBody: body ?? form }
        : { parameters: { ...parameters, ...(body !== undefined && { body }), ...form } }),
    });
  };

  test(`swagger-client calls every operation of ${name} §9.6`, async () => {
    assert.deepEqual(client.errors, []);
    await walk(call, ids, number);
    assert.deepEqual([...called].toSorted(), ids.toSorted());
  });
}
