// What examples do after their excerpt, with clients whose methods take arguments in order.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";

type Answer<Data = unknown> = Promise<{ readonly data: Data }>;

interface Client {
  readonly uploadFile: (
    petId: number,
    form: { additionalMetadata: string; file: File },
  ) => Answer<{ message?: string }>;
  readonly findPetsByStatus: (query: { status: ("sold" | "pending")[] }) => Answer;
  readonly getInventory: () => Answer;
  readonly deletePet: (petId: number, options: { headers: { api_key: string } }) => Answer;
  readonly getPetById: (petId: number) => Answer;
  readonly placeOrder: (order: typeof ORDER) => Answer;
  readonly getOrderById: (orderId: number) => Answer;
  readonly deleteOrder: (orderId: number) => Answer;
  readonly createUser: (user: typeof USER) => Answer;
  readonly createUsersWithListInput: (users: { username: string }[]) => Answer;
  readonly loginUser: (query: { username: string; password: string }) => Answer;
  readonly updateUser: (username: string, user: typeof USER) => Answer;
  readonly getUserByName: (username: string) => Answer;
  readonly logoutUser: () => Answer;
  readonly deleteUser: (username: string) => Answer;
}

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

/** Calls what the excerpt did not. @param sold a pet of the status "sold", the only one */
export async function walkOn(
  client: Client,
  sold: { id?: number; name: string; status: string },
): Promise<void> {
  const { id = 0 } = sold;
  const file = new File([await openAsBlob("rex.png")], "rex.png");
  const { data } = await client.uploadFile(id, { additionalMetadata: "at the lake", file });
  assert.match(data.message ?? "", /at the lake/);
  const found = (await client.findPetsByStatus({ status: ["sold", "pending"] })).data;
  assert.partialDeepStrictEqual(found, [sold]);
  assert.deepEqual((await client.getInventory()).data, { available: 0, pending: 0, sold: 1 });
  await client.deletePet(id, { headers: { api_key: "special-key" } });
  await assert.rejects(async () => client.getPetById(id), { status: 404 });

  assert.deepEqual((await client.placeOrder(ORDER)).data, ORDER);
  assert.deepEqual((await client.getOrderById(7)).data, ORDER);
  await client.deleteOrder(7);

  const { username, password } = USER;
  await client.createUser({ ...USER, phone: "1" });
  await client.createUsersWithListInput([{ username: "other" }]);
  const login = await client.loginUser({ username, password });
  assert.match(JSON.stringify(login.data), /logged in user session:/);
  await client.updateUser(username, USER);
  assert.deepEqual((await client.getUserByName(username)).data, USER);
  await client.logoutUser();
  await client.deleteUser(username);
  await client.deleteUser("other");
}
