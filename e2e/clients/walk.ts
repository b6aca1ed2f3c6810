// The walk of the examples in TypeScript. Like Petstore's samples, it does everything with a pet, an order and a user.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";

type Answer<Data = unknown> = Promise<{ readonly data: Data }>;

type PetStatus = "available" | "pending" | "sold";

/** A client whose methods take their arguments in order. Their results must have the types of the document. */
interface Client {
  readonly addPet: (pet: typeof PET) => Answer;
  readonly updatePet: (pet: typeof PET) => Answer;
  readonly getPetById: (petId: number) => Answer<{ name: string }>;
  readonly updatePetWithForm: (petId: number, name: string, status: "sold") => Answer;
  readonly uploadFile: (
    petId: number,
    metadata: string,
    file: File,
  ) => Answer<{ message?: string }>;
  readonly findPetsByStatus: (status: ("sold" | "pending")[]) => Answer<{ name: string }[]>;
  readonly getInventory: () => Answer<{ sold?: number }>;
  readonly deletePet: (petId: number, apiKey: string) => Promise<unknown>;
  readonly placeOrder: (order: typeof ORDER) => Answer<{ petId?: number }>;
  readonly getOrderById: (orderId: number) => Answer<{ petId?: number }>;
  readonly deleteOrder: (orderId: number) => Promise<unknown>;
  readonly createUser: (user: typeof USER) => Answer;
  readonly createUsersWithListInput: (users: { username: string }[]) => Answer;
  readonly loginUser: (username: string, password: string) => Answer;
  readonly updateUser: (username: string, user: typeof USER) => Answer;
  readonly getUserByName: (username: string) => Answer<{ phone?: string }>;
  readonly logoutUser: () => Promise<unknown>;
  readonly deleteUser: (username: string) => Promise<unknown>;
}

/** The base URL of the server. */
export const BASE = process.env["PETSTORE"] ?? "";
const isPetstore3 = BASE.endsWith("/api/v3");

const PET = {
  id: 1001,
  name: "doggie",
  photoUrls: ["rex.png"],
  tags: [{ name: "dog" }],
  status: "available" as PetStatus,
};
const ORDER = {
  id: 7,
  petId: 1001,
  quantity: 1,
  shipDate: new Date(0).toISOString(),
  status: "placed" as const,
};
const USER = {
  id: 1001,
  username: "theUser",
  email: "john@email.com",
  password: "12345",
  phone: "12345",
};

/** Calls operations on an empty store. Looks up the pet again after its deletion. */
export async function walk(client: Client): Promise<void> {
  const { id } = PET;
  const sold = { ...PET, name: "Rex", status: "sold" };
  const added = await client.addPet(PET);
  const { data: pet } = await client.getPetById(id);
  assert.deepEqual(pet, PET);
  await client.updatePet({ ...PET, name: pet.name, status: "pending" });
  const renamed = await client.updatePetWithForm(id, "Rex", "sold");
  const image = new File([await openAsBlob("rex.png")], "rex.png");
  // As the tests of OpenAPI Generator.
  const text = new File(["hello"], "hello.txt", { type: "text/plain" });
  for (const file of [image, text]) {
    const { data: uploaded } = await client.uploadFile(id, "at the lake", file);
    assert.match(uploaded.message ?? "", /at the lake/);
  }
  const [found] = (await client.findPetsByStatus(["sold", "pending"])).data;
  assert.partialDeepStrictEqual(found, sold);
  assert.deepEqual((await client.getInventory()).data, { available: 0, pending: 0, sold: 1 });
  await client.deletePet(id, "special-key");
  await assert.rejects(
    async () => client.getPetById(id),
    (error: { status?: number; code?: unknown }) => (error.status ?? error.code) === 404,
  );

  assert.deepEqual((await client.placeOrder(ORDER)).data, ORDER);
  assert.deepEqual((await client.getOrderById(ORDER.id)).data, ORDER);
  await client.deleteOrder(ORDER.id);

  const { username, password } = USER;
  const other = { username: "other" };
  const created = await client.createUser({ ...USER, phone: "1" });
  const list = await client.createUsersWithListInput([other]);
  const login = await client.loginUser(username, password);
  assert.match(JSON.stringify(login.data), /logged in user session:/i);
  await client.updateUser(username, USER);
  assert.deepEqual((await client.getUserByName(username)).data, USER);
  await client.logoutUser();
  await client.deleteUser(username);
  await client.deleteUser(other.username);

  if (!isPetstore3) return;
  assert.deepEqual([added.data, renamed.data], [PET, sold]);
  assert.deepEqual(created.data, { ...USER, phone: "1" });
  assert.partialDeepStrictEqual(list.data, [other]);
}
