// swagger-client, which Swagger UI uses, calls every operation by three documents. run.ts runs this file, with the server's
// origin in PETSTORE.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import SwaggerClient from "swagger-client";
import type { Result } from "swagger-client";
import classicPetstore from "../../test/clients/classic-petstore.json" with { type: "json" };
import { send } from "../http.ts";
import { GENERATED, HERE } from "./command.ts";

const BASE = `${process.env["PETSTORE"]}/v2`;
const IMAGE = join(HERE, "examples", "rex.png");

type Values = Readonly<Record<string, unknown>>;

/** Calls an operation. `content` is the body, or the fields of a form. @throws Error if it is refused */
type Call = (
  operationId: string,
  parameters?: Values,
  content?: { readonly body: unknown } | { readonly form: Values },
) => Promise<Result>;

const look = async (path: string) => (await send(BASE, `GET ${path}`)).json;

// Names and tags have characters that must be escaped.
const PET = {
  id: 1_000_000_001,
  category: { id: 1, name: "Dogs" },
  name: "doggie",
  photoUrls: ["https://pets.example/1.png", "string"],
  tags: [{ id: 1, name: "tag & more" }],
  status: "available",
};
const OTHER = {
  ...PET,
  id: 1_000_000_002,
  photoUrls: "1.png,2.png",
  tags: [{ id: 2, name: "tag/ü" }],
  status: "pending",
};
const ORDER = { id: 7, petId: 1, quantity: 7, shipDate: "2026-11-21T10:15:30.123Z" };
const USER = {
  id: 1_000_000_001,
  username: "a/b c?ü",
  firstName: "John",
  lastName: "James",
  email: "john@email.com",
  password: "p&ss=wörd +%",
  phone: "12345",
  userStatus: 1,
};
const IN_ARRAY = { ...USER, id: 1_000_000_002, username: "array" };
const IN_LIST = { ...USER, id: 1_000_000_003, username: "list" };

/** Calls every operation on an empty store, checks its effect, and empties the store again. */
async function walk(call: Call, ids: readonly string[]): Promise<void> {
  const { id: petId } = PET;
  const { username, password } = USER;
  /** The call succeeds, with a body that has at least these members. */
  const succeeds = async (body: unknown, ...[id, ...given]: Parameters<Call>): Promise<Result> => {
    const result = await call(id, ...given);
    assert.partialDeepStrictEqual(result, { status: 200, body }, id);
    return result;
  };
  /** The same for an operation whose specification has no body. */
  const isDone = async (message: string, ...asked: Parameters<Call>) =>
    succeeds({ code: 200, type: "unknown", message }, ...asked);
  /** The call is refused, and its error has the answer. */
  const isRefused = async (status: number, message: string, ...asked: Parameters<Call>) =>
    assert.rejects(call(...asked), (error: Error & { readonly response?: Result }) => {
      const body = { code: status, type: "error", message };
      assert.partialDeepStrictEqual(error.response, { status, body });
      return true;
    });

  await succeeds({ ...PET, tags: [] }, "addPet", {}, { body: { ...PET, tags: [] } });
  await succeeds(PET, "updatePet", {}, { body: PET });
  await succeeds(OTHER, "addPet", {}, { body: OTHER });
  await isRefused(405, "Invalid input", "addPet", {}, { body: { name: "doggie" } });
  await succeeds({ available: 1, pending: 1, sold: 0 }, "getInventory");
  const { headers } = await succeeds(PET, "getPetById", { petId });
  assert.equal(headers["etag"], (await send(BASE, `GET /pet/${petId}`)).etag);
  const tags = [...PET.tags, ...OTHER.tags].map((tag) => tag.name);
  assert.deepEqual((await call("findPetsByTags", { tags })).body, [PET, OTHER]);
  await isDone(
    String(petId),
    "updatePetWithForm",
    { petId },
    { form: { name: "Max & Möritz+", status: "sold" } },
  );
  const sold = { ...PET, name: "Max & Möritz+", status: "sold" };
  const found = await call("findPetsByStatus", { status: ["pending", "sold"] });
  assert.deepEqual(found.body, [sold, OTHER]);
  const file = new File([await openAsBlob(IMAGE)], "rex.png", { type: "image/png" });
  await isDone(
    `additionalMetadata: at the lake\nFile uploaded to ./rex.png, ${file.size} bytes`,
    "uploadFile",
    { petId },
    { form: { additionalMetadata: "at the lake", file } },
  );
  const { photoUrls } = (await look(`/pet/${petId}`)) as { photoUrls: string[] };
  const name = photoUrls.at(-1)?.split("/").at(-1);
  // The classic Petstore does not have this operation.
  if (ids.includes("getPetImage")) {
    const image = await call("getPetImage", { petId, name });
    assert.equal(image.headers["content-type"], "image/png");
    const bytes = Buffer.from(await (image.data as Blob).arrayBuffer());
    assert.deepEqual(bytes, await readFile(IMAGE));
  }
  const text = new File(["hello"], "hello.txt", { type: "text/plain" });
  const said = "File uploaded to ./hello.txt, 5 bytes";
  await isDone(said, "uploadFile", { petId }, { form: { file: text } });
  await isDone(String(petId), "deletePet", { petId, api_key: "special-key" });
  await isRefused(404, "Pet not found", "getPetById", { petId });
  await isDone(String(OTHER.id), "deletePet", { petId: OTHER.id });

  await succeeds(ORDER, "placeOrder", {}, { body: ORDER });
  await succeeds(ORDER, "getOrderById", { orderId: 7 });
  await isDone("7", "deleteOrder", { orderId: 7 });

  await isDone(String(USER.id), "createUser", {}, { body: { ...USER, phone: "1" } });
  await isDone("ok", "createUsersWithArrayInput", {}, { body: [IN_ARRAY] });
  await isDone("ok", "createUsersWithListInput", {}, { body: [IN_LIST] });
  for (const one of [IN_ARRAY, IN_LIST]) {
    assert.deepEqual(await look(`/user/${one.username}`), one);
    await isDone(one.username, "deleteUser", { username: one.username });
  }
  const login = await call("loginUser", { username, password });
  assert.match(String((login.body as Values)["message"]), /^logged in user session:[\w-]{43}$/);
  assert.ok(Date.parse(String(login.headers["x-expires-after"])) > Date.now());
  const wrong = { username, password: "wrong" };
  await isRefused(400, "Invalid username/password supplied", "loginUser", wrong);
  await isDone("ok", "logoutUser");
  await isDone(String(USER.id), "updateUser", { username }, { body: USER });
  await succeeds(USER, "getUserByName", { username });
  await isDone(username, "deleteUser", { username });
  await isRefused(404, "User not found", "getUserByName", { username });
}

/** A document of the server, which run.ts has saved. */
const saved = async (file: string) =>
  JSON.parse(await readFile(join(GENERATED, file), "utf8")) as object;

// Making a client can take seconds. A pause within a walk that long would let the server close the connection.
const clients = await Promise.all(
  [
    { name: "our openapi.json", document: await saved("openapi.json"), kind: "OpenAPI" },
    { name: "our swagger.json", document: await saved("swagger.json"), kind: "Swagger" },
    { name: "a description of the classic Petstore", document: classicPetstore, kind: "Swagger" },
  ].map(async (described) => ({
    ...described,
    client: await SwaggerClient({
      // The client modifies its document.
      spec: structuredClone(described.document),
      url: `${BASE}/swagger.json`,
      authorizations: {
        api_key: "special-key",
        bearer: "anything",
        petstore_auth: { token: { access_token: "anything" } },
      },
    }),
  })),
);

for (const { name, document, kind, client } of clients) {
  test(`swagger-client calls every operation of ${name} §9.6`, async () => {
    const { paths } = document as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
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
    assert.deepEqual(client.errors, []);
    await walk(call, ids);
    assert.deepEqual([...called].toSorted(), ids.toSorted());
  });
}
