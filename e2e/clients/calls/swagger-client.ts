// swagger-client, which Swagger UI uses, calls every operation of the three documents.
import assert from "node:assert/strict";
import SwaggerClient from "swagger-client";

type Values = Readonly<Record<string, unknown>>;

const PET = {
  id: 1_000_000_001,
  category: { id: 1, name: "Dogs" },
  name: "doggie",
  photoUrls: ["https://pets.example/1.png", "string"],
  // Such characters must be escaped.
  tags: [{ id: 1, name: "tag & more/ü" }],
  status: "available",
};
/** The signature, which is all that the service looks at. */
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const ORDER = { id: 7, petId: 1, quantity: 7, shipDate: "2026-11-21T10:15:30.123Z" };
const USER = { id: 1_000_000_001, username: "a/b c?ü", password: "p&ss=wörd +%", phone: "12345" };

/** Calls every operation on an empty store, and empties it again. @param path of the document */
async function walk(path: string): Promise<void> {
  const document = await (await fetch(`${process.env["SANDBOX"]}${path}`)).json();
  const isPetstore3 = path.startsWith("/api/v3");
  const client = await SwaggerClient({
    spec: structuredClone(document),
    authorizations: { api_key: "special-key" },
  });
  assert.deepEqual(client.errors, []);
  const called = new Set<string>();

  /** Calls an operation. @param content the body, or the fields of a form */
  const call = async (operationId: string, parameters: Values = {}, content?: unknown) => {
    called.add(operationId);
    const isForm = operationId === "updatePetWithForm" || operationId === "uploadFile";
    const body = isForm ? (content as Values) : { body: content };
    const sent = document.swagger ? { parameters: { ...parameters, ...body } } : { parameters, requestBody: content };
    const response = await client.execute({ operationId, ...sent });
    assert.equal(response.status, 200, operationId);
    return response;
  };

  const petId = PET.id;
  assert.deepEqual((await call("addPet", {}, PET)).body, PET);
  assert.deepEqual((await call("getPetById", { petId })).body, PET);
  await call("updatePet", {}, { ...PET, status: "pending" });
  const fields = { name: "Max & Möritz+", status: "sold" };
  if (isPetstore3) await call("updatePetWithForm", { petId, ...fields });
  else await call("updatePetWithForm", { petId }, fields);
  const max = { ...PET, ...fields };
  const status = isPetstore3 ? "sold" : ["pending", "sold"];
  assert.deepEqual((await call("findPetsByStatus", { status })).body, [max]);
  assert.deepEqual((await call("findPetsByTags", { tags: [PET.tags[0]?.name] })).body, [max]);
  assert.deepEqual((await call("getInventory")).body, { available: 0, pending: 0, sold: 1 });
  const png = new File([PNG], "rex.png", { type: "image/png" });
  const additionalMetadata = "at the lake";
  const uploaded = isPetstore3
    ? await call("uploadFile", { petId, additionalMetadata }, png)
    : await call("uploadFile", { petId }, { additionalMetadata, file: png });
  assert.match(uploaded.body.message, /at the lake/);
  if (!isPetstore3) {
    const { photoUrls } = (await call("getPetById", { petId })).body;
    const name = photoUrls.at(-1).split("/").at(-1);
    const image = await call("getPetImage", { petId, name });
    assert.equal(image.headers["content-type"], "image/png");
  }
  await call("deletePet", { petId, api_key: "special-key" });
  await assert.rejects(call("getPetById", { petId }), { status: 404 });

  assert.deepEqual((await call("placeOrder", {}, ORDER)).body, ORDER);
  assert.deepEqual((await call("getOrderById", { orderId: 7 })).body, ORDER);
  await call("deleteOrder", { orderId: 7 });

  const { username, password } = USER;
  await call("createUser", {}, { ...USER, phone: "1" });
  const others = isPetstore3 ? ["List"] : ["List", "Array"];
  for (const list of others) {
    await call(`createUsersWith${list}Input`, {}, [{ username: list }]);
    await call("deleteUser", { username: list });
  }
  const login = await call("loginUser", { username, password });
  assert.ok(Date.parse(login.headers["x-expires-after"]) > Date.now());
  await assert.rejects(call("loginUser", { username, password: "wrong" }), { status: 400 });
  await call("updateUser", { username }, USER);
  assert.deepEqual((await call("getUserByName", { username })).body, USER);
  await call("logoutUser");
  await call("deleteUser", { username });

  const items = Object.values<Values>(document.paths);
  const ids = items.flatMap((item) => Object.values(item) as { operationId?: string }[]);
  const all = ids.flatMap(({ operationId }) => operationId ?? []);
  assert.deepEqual([...called].toSorted(), all.toSorted());
  console.log(`${path}: ${all.length} operations`);
}

for (const path of ["/v2/openapi.json", "/v2/swagger.json", "/api/v3/openapi.json"]) await walk(path);
