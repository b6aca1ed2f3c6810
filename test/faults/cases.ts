import { PETSTORE3_PATH } from "../../src/http/base-path.ts";
import type { Send } from "../client.ts";
import { clientWith, logIn, tokenOf } from "../fixtures.ts";
import { upload } from "../images.ts";
import {
  STORED,
  exchange,
  operations,
  prepare,
  underCondition,
  withMembers,
} from "../operations.ts";
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
export interface Case extends Pick<Special, "but"> {
  /** The operation's id, and what is special about the request. */
  readonly name: string;
  readonly operation: string;
  /** What a client gets if it sends the request again because it saw no answer. */
  readonly again: number;
  /** The same with a session, where access is protected. */
  readonly againProtected: number;
  /** The id of the pet that it is about; default: 2. */
  readonly pet?: 1 | 2;
  /** Presents the session as a cookie. */
  readonly withCookie?: true;
  /** A second run leaves the same content with a later version, so the service itself may repeat the request. */
  readonly repeatable?: true;
  /** A fault may break the body, instead of becoming an answer. */
  readonly streams?: true;
  /** Needs pets enough for a list that is streamed. */
  readonly many?: true;
}

type Facts = Partial<Omit<Case, "name" | "operation" | "again" | "but">>;

const stated = (name: string, again = 200, but?: Special["but"], facts: Facts = {}): Case => ({
  name,
  operation: name.split(" ")[0] ?? "",
  again,
  againProtected: again,
  ...(but && { but }),
  ...facts,
});

const pet = { name: "Rex", photoUrls: ["rex.png"], tags: ["cat", { name: "new" }] };
const json = (value: unknown) => () => ({ json: value });
const at = (path: string) => () => ({ path });

const twoUsers = json([
  { username: "eve", password: PASSWORD },
  { username: "mallory", id: 800 },
  { firstName: "Nobody" },
]);
const aStream = { streams: true, many: true } as const;
const anImage = { pet: 1 } as const;
const repeatable = { repeatable: true } as const;

/** Operations in each way that they call their stores. One that is not here has a plain request, which does no harm again. */
const SPECIAL: readonly Case[] = [
  // Another pet: only a chosen id tells that it is the same.
  stated("addPet"),
  stated("addPet with an id", 200, (_, request) =>
    withMembers(request, { id: 900, status: "available" }),
  ),
  stated("updatePet", 200, undefined, repeatable),
  stated("updatePet with If-Match", 412, underCondition, anImage),
  stated("findPetsByStatus for a page", 200, at("/pet/findByStatus?status=available,sold&limit=1")),
  stated("findPetsByStatus for a stream", 200, at("/pet/findByStatus?status=pending"), aStream),
  stated("findPetsByTags", 200, at("/pet/findByTags?tags=dog,good")),
  stated("findPetsByTags for a stream", 200, at("/pet/findByTags?tags=many"), aStream),
  stated("getPetById", 200, undefined, anImage),
  stated("updatePetWithForm", 200, undefined, repeatable),
  stated("deletePet", 404),
  stated("deletePet of a pet with an image", 404, undefined, anImage),
  stated("deletePet with If-Match", 404, underCondition, anImage),
  // Another image, of the same bytes.
  stated("uploadFile"),
  stated("getPetImage", 200, undefined, { streams: true }),
  stated("getPetImage for a part", 206, () => ({ headers: { Range: "bytes=0-9" } }), {
    streams: true,
  }),
  // Another order: only a chosen id tells that it is the same.
  stated("placeOrder"),
  stated("placeOrder with an id", 200, json({ id: 7, petId: 1, complete: false })),
  stated("deleteOrder", 404),
  stated("deleteOrder with If-Match", 404, underCondition),
  stated("createUser", 200, json({ username: "eve", password: PASSWORD, userStatus: 0 })),
  // Another user: nothing tells that it is the same.
  stated("createUser without a username", 200, json({ firstName: "Eve" })),
  stated("createUsersWithArrayInput", 409, twoUsers),
  stated("createUsersWithListInput", 409, twoUsers),
  // A session whose answer got lost is nobody's: only the answer has its token, and it ends with its time.
  stated("loginUser"),
  stated("logoutUser", 200, undefined, { withCookie: true }),
  stated("updateUser", 200, json({ phone: "1" }), repeatable),
  // The old password's sessions have ended.
  stated("updateUser with another password", 200, json({ password: "another horse" }), {
    againProtected: 401,
    repeatable: true,
  }),
  // The session's user has the other name by now.
  stated("updateUser with another name", 404, json({ username: "lovelace" }), {
    againProtected: 403,
  }),
  stated("updateUser with If-Match", 412, (of) => ({
    json: { lastName: "Byron" },
    ...underCondition(of),
  })),
  // The account's sessions have ended.
  stated("deleteUser", 404, undefined, { againProtected: 401 }),
];

/** Every operation of the specification in each way, and those of Petstore 3 in the first: the ways are the same. */
export const CASES: readonly Case[] = operations.flatMap(({ name, id, basePath: of }) => {
  const special = SPECIAL.filter(({ operation }) => operation === id);
  const ways = special.length > 0 ? special : [stated(id)];
  return ways
    .slice(0, of === PETSTORE3_PATH ? 1 : undefined)
    .map((each) => ({ ...each, name: each.name.replace(id, name), operation: name }));
});

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
