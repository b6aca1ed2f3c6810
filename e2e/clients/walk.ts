// The walk of the examples in TypeScript: all there is to do with a pet, an order and a user, as Petstore's samples do.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";

type Answer<Data = unknown> = Promise<{ readonly data: Data }>;

type PetStatus = "available" | "pending" | "sold";

/** A client whose methods take their arguments in order. Each must state the result that its document shows. */
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

/** Calls every operation on an empty store. The last pet that is looked up is not there. */
export async function walk(client: Client): Promise<void> {
  const { id } = PET;
  const sold = { ...PET, name: "Rex", status: "sold" };
  const added = await client.addPet(PET);
  const { data: pet } = await client.getPetById(id);
  assert.deepEqual(pet, PET);
  await client.updatePet({ ...PET, name: pet.name, status: "pending" });
  const renamed = await client.updatePetWithForm(id, "Rex", "sold");
  const file = new File([await openAsBlob("rex.png")], "rex.png");
  const { data: uploaded } = await client.uploadFile(id, "at the lake", file);
  assert.match(uploaded.message ?? "", /at the lake/);
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

/** What is different in clients of /v2 whose methods take queries and forms as objects. */
interface WithObjects {
  readonly updatePetWithForm: (petId: number, form: { name: string; status: "sold" }) => Answer;
  readonly uploadFile: (
    petId: number,
    form: { additionalMetadata: string; file: File },
  ) => ReturnType<Client["uploadFile"]>;
  readonly findPetsByStatus: (query: {
    status: ("sold" | "pending")[];
  }) => ReturnType<Client["findPetsByStatus"]>;
  readonly deletePet: (
    petId: number,
    options: { headers: { api_key: string } },
  ) => Promise<unknown>;
  readonly loginUser: (query: { username: string; password: string }) => Answer;
}

/** @returns the same client, whose methods take their arguments in order */
export function inOrder<Given extends WithObjects>(client: Given) {
  return {
    ...client,
    updatePetWithForm: async (id: number, name: string, status: "sold") =>
      client.updatePetWithForm(id, { name, status }),
    uploadFile: async (id: number, additionalMetadata: string, file: File) =>
      client.uploadFile(id, { additionalMetadata, file }),
    findPetsByStatus: async (status: ("sold" | "pending")[]) => client.findPetsByStatus({ status }),
    deletePet: async (id: number, key: string) =>
      client.deletePet(id, { headers: { api_key: key } }),
    loginUser: async (username: string, password: string) =>
      client.loginUser({ username, password }),
  };
}

type Answering<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (
    ...given: infer Given
  ) => Promise<infer Data>
    ? (...given: Given) => Answer<Data>
    : never;
};

/** @returns the functions of an object or a class, which now answer with `data` */
export function answering<Functions extends object>(functions: Functions): Answering<Functions> {
  const wrapped = Object.getOwnPropertyNames(functions).map((name) => {
    const call = Reflect.get(functions, name) as (...given: unknown[]) => Promise<unknown>;
    return [name, async (...given: unknown[]) => ({ data: await call(...given) })];
  });
  return Object.fromEntries(wrapped) as Answering<Functions>;
}
