import type { Send } from "../client.ts";
import { clientWith, logIn, tokenOf } from "../fixtures.ts";
import { upload } from "../images.ts";
import { STORED, exchange, prepare, underCondition, withMembers } from "../operations.ts";
import type { Makers, Special } from "../operations.ts";
import { readState, restore } from "./state.ts";
import type { State } from "./state.ts";
import { basePath, database } from "../engine.ts";

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
interface Stated extends Pick<Special, "but"> {
  /** The operation's id. */
  readonly operation: string;
  /** What is special about the request. */
  readonly when?: string;
  /** The id of the pet that it is about; default: 2. */
  readonly pet?: 1 | 2;
  /** Presents the session as a cookie. */
  readonly withCookie?: true;
  /** What a client gets if it sends the request again because it saw no answer. */
  readonly again: number;
  /** The same with a session, where access is protected; default: no other. */
  readonly againProtected?: number;
  /** A second run leaves the same content with a later version, so the service itself may repeat the request. */
  readonly repeatable?: true;
  /** A fault may break the body, instead of becoming an answer. */
  readonly streams?: true;
  /** Needs pets enough for a list that is streamed. */
  readonly many?: true;
}

export interface Case extends Stated {
  readonly name: string;
}

const pet = { name: "Rex", photoUrls: ["rex.png"], tags: ["cat", { name: "new" }] };
const json = (value: unknown) => () => ({ json: value });
const at = (path: string) => () => ({ path });
const withIfMatch = { when: "with If-Match", but: underCondition };

const STATED: readonly Stated[] = [
  // Another pet: only a chosen id tells that it is the same.
  { operation: "addPet", again: 200 },
  {
    operation: "addPet",
    when: "with an id",
    but: (_, request) => withMembers(request, { id: 900, status: "available" }),
    again: 200,
  },
  { operation: "updatePet", again: 200, repeatable: true },
  { operation: "updatePet", ...withIfMatch, pet: 1, again: 412 },
  {
    operation: "findPetsByStatus",
    when: "for a page",
    but: at("/pet/findByStatus?status=available,sold&limit=1"),
    again: 200,
  },
  {
    operation: "findPetsByStatus",
    when: "for a stream",
    but: at("/pet/findByStatus?status=pending"),
    again: 200,
    streams: true,
    many: true,
  },
  { operation: "findPetsByTags", but: at("/pet/findByTags?tags=dog,good"), again: 200 },
  {
    operation: "findPetsByTags",
    when: "for a stream",
    but: at("/pet/findByTags?tags=many"),
    again: 200,
    streams: true,
    many: true,
  },
  { operation: "getPetById", pet: 1, again: 200 },
  { operation: "updatePetWithForm", again: 200, repeatable: true },
  { operation: "deletePet", again: 404 },
  { operation: "deletePet", when: "of a pet with an image", pet: 1, again: 404 },
  { operation: "deletePet", ...withIfMatch, pet: 1, again: 404 },
  // Another image, of the same bytes.
  { operation: "uploadFile", again: 200 },
  { operation: "getPetImage", again: 200, streams: true },
  {
    operation: "getPetImage",
    when: "for a part",
    but: () => ({ headers: { Range: "bytes=0-9" } }),
    again: 206,
  },
  { operation: "getInventory", again: 200 },
  // Another order: only a chosen id tells that it is the same.
  { operation: "placeOrder", again: 200 },
  {
    operation: "placeOrder",
    when: "with an id",
    but: json({ id: 7, petId: 1, complete: false }),
    again: 200,
  },
  { operation: "getOrderById", again: 200 },
  { operation: "deleteOrder", again: 404 },
  { operation: "deleteOrder", ...withIfMatch, again: 404 },
  {
    operation: "createUser",
    but: json({ username: "eve", password: PASSWORD, userStatus: 0 }),
    again: 200,
  },
  // Another user: nothing tells that it is the same.
  {
    operation: "createUser",
    when: "without a username",
    but: json({ firstName: "Eve" }),
    again: 200,
  },
  ...["createUsersWithArrayInput", "createUsersWithListInput"].map((operation) => ({
    operation,
    but: json([
      { username: "eve", password: PASSWORD },
      { username: "mallory", id: 800 },
      { firstName: "Nobody" },
    ]),
    again: 409,
  })),
  // A session whose answer got lost is nobody's: only the answer has its token, and it ends with its time.
  { operation: "loginUser", again: 200 },
  { operation: "logoutUser", withCookie: true, again: 200 },
  { operation: "getUserByName", again: 200 },
  { operation: "updateUser", but: json({ phone: "1" }), again: 200, repeatable: true },
  {
    operation: "updateUser",
    when: "with another password",
    but: json({ password: "another horse" }),
    again: 200,
    // The old password's sessions have ended.
    againProtected: 401,
    repeatable: true,
  },
  {
    operation: "updateUser",
    when: "with another name",
    but: json({ username: "lovelace" }),
    again: 404,
    // The session's user has the other name by now.
    againProtected: 403,
  },
  {
    operation: "updateUser",
    when: "with If-Match",
    but: (of) => ({ json: { lastName: "Byron" }, ...underCondition(of) }),
    again: 412,
  },
  {
    operation: "deleteUser",
    again: 404,
    // The account's sessions have ended.
    againProtected: 401,
  },
];

/** Every operation, in each way that it calls its stores. */
export const CASES: readonly Case[] = STATED.map((each) => ({
  ...each,
  name: [each.operation, each.when].filter(Boolean).join(" "),
}));

/** What the requests of a case are about. */
function makersOf({ pet: id = 2 }: Case, { state, image }: World): Makers {
  const etagOf = (table: "pets" | "orders" | "users", of: number) =>
    `"${state.tables[table].find((row) => row["id"] === of)?.["version"] ?? 0}"`;
  const shown = { ...pet, id, status: "pending" } as const;
  const stored = { id, path: `/pet/${id}`, etag: etagOf("pets", id), shown };
  const order = { id: 1, path: "/store/order/1", etag: etagOf("orders", 1), shown: { id: 1 } };
  const ada = { id: 1, username: "ada", password: PASSWORD };
  return {
    ...STORED,
    pet: async () => stored,
    image: async () => ({ ...stored, path: image }),
    order: async () => order,
    user: async () => ({ id: 1, path: "/user/ada", etag: etagOf("users", 1), shown: ada }),
  };
}

/** Sends the request of a case. */
export async function sendCase(client: Send, each: Case, mode: Mode, world: World) {
  const { request } = await prepare(each.operation, {
    makers: makersOf(each, world),
    ...(each.but && { but: each.but }),
  });
  return exchange(client, request, {
    ...(each.withCookie && { Cookie: `session=${world.token}` }),
    ...(mode === "protected" && { Authorization: `Bearer ${world.token}` }),
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
  await send("POST", "/pet/1/uploadImage", upload());
  const { photoUrls } = (await send("GET", "/pet/1")).json as { photoUrls: string[] };
  // In protected access the order is the session's.
  await clientWith({ ACCESS: "protected" })("POST", "/store/order", {
    json: { petId: 1 },
    headers: { Authorization: `Bearer ${token}` },
  });
  const image = String(photoUrls[0]).replace(basePath, "");
  const state = await readState();
  await database.exec(
    "insert into pets (id, name, photoUrls, tags, status) with recursive ids(id) as (select 3 union all select id + 1 from ids where id < 122) select id, 'Pet', '[]', '[\"many\"]', 'pending' from ids",
  );
  const many = await readState();
  await restore(state, many);
  return { token, image, state, many };
}
