import { env } from "cloudflare:workers";
import { routes } from "../../src/routes.ts";
import type { Send, Sent } from "../client.ts";
import { logIn, tokenOf } from "../fixtures.ts";
import { PNG, imageForm } from "../images.ts";
import { clientWith } from "../stores.ts";
import { readState, restore } from "./state.ts";
import type { State } from "./state.ts";

export type Mode = "open" | "protected";

const PASSWORD = "correct horse";

/** What the requests are about. */
export interface World {
  readonly token: string;
  /** What the stores hold. */
  readonly state: State;
  /** The same with pets enough for a list that is streamed. */
  readonly many: State;
  /** The path of an image of pet 1. */
  readonly image: string;
}

/** What must show nowhere. */
export const secretsOf = ({ token }: World): readonly string[] => [
  token,
  PASSWORD,
  "another horse",
];

/** A valid request of an operation. */
export interface Case {
  readonly name: string;
  /** The operation's id. */
  readonly operation: string;
  readonly path: (world: World) => string;
  readonly sent?: (world: World) => Sent;
  /** What a client gets that sends it once more, not having seen that it was done. */
  readonly again: number;
  /** The same with a session, where access is protected; default: no other. */
  readonly againProtected?: number;
  /** Done once more it leaves the same content under a later version, so the service itself may repeat it. */
  readonly repeatable?: true;
  /** A fault may break the body rather than be answered. */
  readonly streams?: true;
  /** Needs pets enough for a list that is streamed. */
  readonly many?: true;
  /** `If-Match` names this row's version. */
  readonly ifMatch?: "pets" | "orders" | "users";
}

const pet = { name: "Rex", photoUrls: ["rex.png"], tags: ["cat", { name: "new" }] };
const json = (value: unknown) => () => ({ json: value });
const at = (path: string) => () => path;

/** Every operation, in each way that it calls its stores. */
export const CASES: readonly Case[] = [
  {
    name: "POST /pet",
    operation: "addPet",
    path: at("/pet"),
    sent: json({ ...pet, status: "sold" }),
    // Another pet: only a chosen id tells that it is the same.
    again: 200,
  },
  {
    name: "POST /pet with an id",
    operation: "addPet",
    path: at("/pet"),
    sent: json({ ...pet, id: 900, status: "available" }),
    again: 200,
  },
  {
    name: "PUT /pet",
    operation: "updatePet",
    path: at("/pet"),
    sent: json({ ...pet, id: 2, status: "pending" }),
    again: 200,
    repeatable: true,
  },
  {
    name: "PUT /pet with If-Match",
    operation: "updatePet",
    path: at("/pet"),
    sent: json({ ...pet, id: 1, status: "sold" }),
    ifMatch: "pets",
    again: 412,
  },
  {
    name: "GET /pet/findByStatus, a page",
    operation: "findPetsByStatus",
    path: at("/pet/findByStatus?status=available,sold&limit=1"),
    again: 200,
  },
  {
    name: "GET /pet/findByStatus, a stream",
    operation: "findPetsByStatus",
    path: at("/pet/findByStatus?status=pending"),
    again: 200,
    streams: true,
    many: true,
  },
  {
    name: "GET /pet/findByTags",
    operation: "findPetsByTags",
    path: at("/pet/findByTags?tags=dog,good"),
    again: 200,
  },
  {
    name: "GET /pet/findByTags, a stream",
    operation: "findPetsByTags",
    path: at("/pet/findByTags?tags=many"),
    again: 200,
    streams: true,
    many: true,
  },
  { name: "GET /pet/{petId}", operation: "getPetById", path: at("/pet/1"), again: 200 },
  {
    name: "POST /pet/{petId}",
    operation: "updatePetWithForm",
    path: at("/pet/2"),
    sent: () => ({
      body: "name=Moritz&status=available",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    }),
    again: 200,
    repeatable: true,
  },
  {
    name: "DELETE /pet/{petId}",
    operation: "deletePet",
    path: at("/pet/2"),
    again: 404,
  },
  {
    name: "DELETE /pet/{petId} of a pet with an image",
    operation: "deletePet",
    path: at("/pet/1"),
    again: 404,
  },
  {
    name: "DELETE /pet/{petId} with If-Match",
    operation: "deletePet",
    path: at("/pet/1"),
    ifMatch: "pets",
    again: 404,
  },
  {
    name: "POST /pet/{petId}/uploadImage",
    operation: "uploadFile",
    path: at("/pet/2/uploadImage"),
    sent: () => ({ body: imageForm(new File([PNG], "max.png")) }),
    // Another image, of the same bytes.
    again: 200,
  },
  {
    name: "GET /pet/{petId}/images/{name}",
    operation: "getPetImage",
    path: ({ image }) => image,
    again: 200,
    streams: true,
  },
  {
    name: "GET /pet/{petId}/images/{name}, a part",
    operation: "getPetImage",
    path: ({ image }) => image,
    sent: () => ({ headers: { Range: "bytes=0-9" } }),
    again: 206,
    streams: true,
  },
  {
    name: "GET /store/inventory",
    operation: "getInventory",
    path: at("/store/inventory"),
    again: 200,
  },
  {
    name: "POST /store/order",
    operation: "placeOrder",
    path: at("/store/order"),
    sent: json({ petId: 1, quantity: 2, status: "placed" }),
    // Another order: only a chosen id tells that it is the same.
    again: 200,
  },
  {
    name: "POST /store/order with an id",
    operation: "placeOrder",
    path: at("/store/order"),
    sent: json({ id: 7, petId: 1, complete: false }),
    again: 200,
  },
  {
    name: "GET /store/order/{orderId}",
    operation: "getOrderById",
    path: at("/store/order/1"),
    again: 200,
  },
  {
    name: "DELETE /store/order/{orderId}",
    operation: "deleteOrder",
    path: at("/store/order/1"),
    again: 404,
  },
  {
    name: "DELETE /store/order/{orderId} with If-Match",
    operation: "deleteOrder",
    path: at("/store/order/1"),
    ifMatch: "orders",
    again: 404,
  },
  {
    name: "POST /user",
    operation: "createUser",
    path: at("/user"),
    sent: json({ username: "eve", password: PASSWORD, userStatus: 0 }),
    again: 200,
  },
  {
    name: "POST /user without a username",
    operation: "createUser",
    path: at("/user"),
    sent: json({ firstName: "Eve" }),
    // Another user: nothing tells that it is the same.
    again: 200,
  },
  ...["Array", "List"].map((kind) => ({
    name: `POST /user/createWith${kind}`,
    operation: `createUsersWith${kind}Input`,
    path: at(`/user/createWith${kind}`),
    sent: json([
      { username: "eve", password: PASSWORD },
      { username: "mallory", id: 800 },
      { firstName: "Nobody" },
    ]),
    again: 409,
  })),
  {
    name: "GET /user/login",
    operation: "loginUser",
    // A session whose answer got lost is nobody's: only the answer has its token, and it ends with its time.
    path: at(`/user/login?username=ada&password=${encodeURIComponent(PASSWORD)}`),
    again: 200,
  },
  {
    name: "GET /user/logout",
    operation: "logoutUser",
    path: at("/user/logout"),
    sent: ({ token }) => ({ headers: { Cookie: `session=${token}` } }),
    again: 200,
  },
  { name: "GET /user/{username}", operation: "getUserByName", path: at("/user/ada"), again: 200 },
  {
    name: "PUT /user/{username}",
    operation: "updateUser",
    path: at("/user/ada"),
    sent: json({ phone: "1" }),
    again: 200,
    repeatable: true,
  },
  {
    name: "PUT /user/{username} with another password",
    operation: "updateUser",
    path: at("/user/ada"),
    sent: json({ password: "another horse" }),
    again: 200,
    // The old password's sessions have ended.
    againProtected: 401,
    repeatable: true,
  },
  {
    name: "PUT /user/{username} with another name",
    operation: "updateUser",
    path: at("/user/ada"),
    sent: json({ username: "lovelace" }),
    again: 404,
    // The session's user has the other name by now.
    againProtected: 403,
  },
  {
    name: "PUT /user/{username} with If-Match",
    operation: "updateUser",
    path: at("/user/ada"),
    sent: json({ lastName: "Byron" }),
    ifMatch: "users",
    again: 412,
  },
  {
    name: "DELETE /user/{username}",
    operation: "deleteUser",
    path: at("/user/ada"),
    again: 404,
    // The account's sessions have ended.
    againProtected: 401,
  },
];

/** The operation's method and who may call it, from the table of routes. */
export function routeOf({ operation }: Case) {
  const route = routes.find(({ endpoint }) => endpoint.operation.id === operation);
  if (!route) throw new Error(`no operation ${operation}`);
  return { method: route.method, access: route.endpoint.operation.access };
}

/** Sends the request of a case. */
export async function sendCase(client: Send, each: Case, mode: Mode, world: World) {
  const { headers, ...sent } = each.sent?.(world) ?? {};
  const row = each.ifMatch && world.state.tables[each.ifMatch].find(({ id }) => id === 1);
  return client(routeOf(each).method, each.path(world), {
    ...sent,
    headers: {
      ...headers,
      ...(row && { "If-Match": `"${row["version"]}"` }),
      ...(mode === "protected" && { Authorization: `Bearer ${world.token}` }),
    },
  });
}

/** Fills the empty stores with what the requests are about. */
export async function createWorld(): Promise<World> {
  const send = clientWith({});
  await send("POST", "/user", { json: { username: "ada", password: PASSWORD } });
  await send("POST", "/user", { json: { username: "bob", firstName: "Bob" } });
  const token = tokenOf(await logIn("ada", PASSWORD, send));
  await send("POST", "/pet", {
    json: { ...pet, tags: ["dog", { name: "good" }], photoUrls: [], status: "available" },
  });
  const max = { name: "Max", photoUrls: "max.png", category: { name: "Dogs" }, status: "sold" };
  await send("POST", "/pet", { json: { ...max, tags: ["dog"] } });
  await send("POST", "/pet/1/uploadImage", { body: imageForm(new File([PNG], "rex.png")) });
  const { photoUrls } = (await send("GET", "/pet/1")).json as { photoUrls: string[] };
  // In protected access the order is the session's.
  await clientWith({ ACCESS: "protected" })("POST", "/store/order", {
    json: { petId: 1 },
    headers: { Authorization: `Bearer ${token}` },
  });
  const image = String(photoUrls[0]).replace("/v2", "");
  const state = await readState();
  await env.DB.exec(
    "insert into pets (id, name, photoUrls, tags, status) with recursive ids(id) as (select 3 union all select id + 1 from ids where id < 122) select id, 'Pet', '[]', '[\"many\"]', 'pending' from ids",
  );
  const many = await readState();
  await restore(state, many);
  return { token, image, state, many };
}
