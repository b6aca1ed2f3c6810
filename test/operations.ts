// A valid request of every operation of both interfaces. The tables of the tests keep only their own facts.
import { BASE_PATH, PETSTORE3_PATH } from "../src/http/base-path.ts";
import { interfaces } from "../src/routes.ts";
import type { Operation } from "../src/http/operation.ts";
import type * as pet from "../src/pet/contract.ts";
import type { Pet } from "../src/pet/pet.ts";
import type * as store from "../src/store/contract.ts";
import type { Order } from "../src/store/order.ts";
import type * as user from "../src/user/contract.ts";
import type { User } from "../src/user/user.ts";
import { send } from "./client.ts";
import type { Answer, Send, Sent } from "./client.ts";
import {
  createPet,
  createUser,
  etagOf,
  freeOrderIds,
  placeOrder,
  uniqueId,
  uniqueName,
  userPath,
} from "./fixtures.ts";
import type { Made } from "./fixtures.ts";
import { PNG, imageForm, upload } from "./images.ts";
import { basePath } from "./engine.ts";

type Contracts = typeof pet & typeof store & typeof user;

/** The ids of the operations whose contracts state this. Each has the name of its contract (test/openapi.test.ts). */
export type OperationsWith<Stated> = {
  [Name in keyof Contracts]: Contracts[Name] extends Operation & Stated ? Name : never;
}[keyof Contracts];

/** The id of an operation. A table of all operations that lacks one does not compile. */
export type OperationId = OperationsWith<unknown>;

/** A whole request. */
export interface Exchange extends Sent {
  readonly method: string;
  readonly path: string;
}

/** What a request may be about. */
interface Things {
  readonly nothing: Made<object>;
  readonly pet: Made<Pet>;
  readonly image: Made<Pet>;
  readonly order: Made<Order>;
  readonly user: Made<User>;
}

/** Make what a request is about. */
export type Makers = { readonly [Kind in keyof Things]: () => Promise<Things[Kind]> };

const NOTHING: Made<object> = { id: 0, path: "", etag: "", shown: {} };

/** Makes what is in the store. */
export const STORED: Makers = {
  nothing: async () => NOTHING,
  pet: async () => createPet({ status: "sold", tags: ["dog"] }),
  image: async () => {
    const { path } = await createPet({ photoUrls: [] });
    await send("POST", `${path}/uploadImage`, upload());
    const shown = (await send("GET", path)).json as Pet;
    const image = String(shown.photoUrls[0]).replace(basePath, "");
    return { id: shown.id, path: image, etag: etagOf(await send("HEAD", image)), shown };
  },
  order: async () => {
    await freeOrderIds();
    return placeOrder({ quantity: 1 });
  },
  user: async () => createUser({ password: "secret" }),
};

const missing = <Resource>(path: string, id: number, shown: Resource) => ({
  id,
  path,
  etag: '"1"',
  shown,
});

/** Describes what is not in the store. */
export const MISSING: Makers = {
  nothing: async () => NOTHING,
  pet: async () => {
    const id = uniqueId();
    return missing(`/pet/${id}`, id, { id, name: "Rex", photoUrls: "rex.png" });
  },
  image: async () => {
    const { id, shown } = await MISSING.pet();
    return missing(`/pet/${id}/images/${crypto.randomUUID()}.png`, id, shown);
  },
  order: async () => {
    await freeOrderIds();
    return missing("/store/order/1", 1, { id: 1 });
  },
  user: async () => {
    const username = uniqueName("nobody");
    return missing(userPath(username), 0, { id: 0, username, password: "secret" });
  },
};

type Request = Sent & { readonly path: string };

interface Prepared {
  /** What the request is about. */
  readonly of: Made<object>;
  readonly request: Request;
}

const about =
  <Kind extends keyof Things>(
    kind: Kind,
    request: (of: Things[Kind], word: string) => Request,
  ): ((makers: Makers, word: string) => Promise<Prepared>) =>
  async (makers, word) => {
    const of = await makers[kind]();
    return { of, request: request(of, word) };
  };

const itself = ({ path }: Made<object>): Request => ({ path });

const twoUsers = (word: string) => [
  { username: uniqueName(word), password: word },
  { username: uniqueName(word) },
];

/** A request of each operation that succeeds, by operationId. `word` is in it wherever the operation takes a text. */
const REQUESTS: Readonly<Record<OperationId, ReturnType<typeof about>>> = {
  addPet: about("nothing", (_, word) => ({
    path: "/pet",
    json: { name: word, photoUrls: "rex.png", tags: [word], status: "sold" },
  })),
  updatePet: about("pet", ({ shown }, word) => ({ path: "/pet", json: { ...shown, name: word } })),
  findPetsByStatus: about("nothing", () => ({ path: "/pet/findByStatus?status=sold,pending" })),
  findPetsByTags: about("nothing", (_, word) => ({
    path: `/pet/findByTags?tags=${encodeURIComponent(word)}`,
  })),
  getPetById: about("pet", itself),
  updatePetWithForm: about("pet", ({ path }, word) => ({
    path,
    body: new URLSearchParams({ name: word, status: "pending", another: word }),
  })),
  deletePet: about("pet", itself),
  uploadFile: about("pet", ({ path }, word) => ({
    path: `${path}/uploadImage`,
    body: imageForm(new File([PNG], `${word}.png`), word),
  })),
  getPetImage: about("image", itself),
  getInventory: about("nothing", () => ({ path: "/store/inventory" })),
  // No member of an order accepts any text, so an unknown member has it.
  placeOrder: about("nothing", (_, word) => ({
    path: "/store/order",
    json: { quantity: 1, [word]: word },
  })),
  getOrderById: about("order", itself),
  deleteOrder: about("order", itself),
  createUser: about("nothing", (_, word) => ({
    path: "/user",
    json: { username: uniqueName(word), password: word, email: `${word}@pets.example` },
  })),
  createUsersWithArrayInput: about("nothing", (_, word) => ({
    path: "/user/createWithArray",
    json: twoUsers(word),
  })),
  createUsersWithListInput: about("nothing", (_, word) => ({
    path: "/user/createWithList",
    json: twoUsers(word),
  })),
  loginUser: about("user", ({ shown: { username = "", password = "" } }) => ({
    path: `/user/login?${new URLSearchParams({ username, password }).toString()}`,
  })),
  logoutUser: about("nothing", () => ({ path: "/user/logout" })),
  getUserByName: about("user", itself),
  updateUser: about("user", ({ path }, word) => ({ path, json: { phone: word, password: word } })),
  deleteUser: about("user", itself),
};

/** A pet as Petstore 3 takes and shows it. */
export function inLists<Members extends Partial<Pet>>(pet: Members): Members {
  const tags = pet.tags?.map((tag) => (typeof tag === "string" ? { name: tag } : tag));
  const photoUrls = [pet.photoUrls ?? []].flat();
  return { ...pet, ...(pet.photoUrls !== undefined && { photoUrls }), ...(tags && { tags }) };
}

function withQuery(path: string, query: URLSearchParams): string {
  const joined = path.includes("?") ? "&" : "?";
  return query.size > 0 ? `${path}${joined}${query.toString()}` : path;
}

/** The request to Petstore 3 that means the same: pets have lists, a form is in the query, and an image is the body. */
export function asPetstore3({ path, json, body, ...request }: Exchange): Exchange {
  const sent = { ...request, basePath: PETSTORE3_PATH };
  if (body instanceof URLSearchParams) return { ...sent, path: withQuery(path, body) };
  if (body instanceof FormData) {
    const { file, ...texts } = Object.fromEntries(body) as Record<string, string>;
    return { ...sent, path: withQuery(path, new URLSearchParams(texts)), body: file ?? "" };
  }
  const isPet = /^\/pet\/?$/.test(path) && json !== undefined;
  return {
    ...sent,
    path,
    ...(json !== undefined && { json: isPet ? inLists(json as Partial<Pet>) : json }),
    ...(body !== undefined && { body }),
  };
}

/** A client that sends each request to Petstore 3 instead. */
export const toPetstore3 =
  (client: Send): Send =>
  async (method, path, sent) =>
    exchange(client, asPetstore3({ method, path, ...sent }));

/** The operations of both interfaces, in the order of `routes`. */
export const operations = interfaces.flatMap(({ basePath: of, routes }) =>
  routes.map(({ method, path, endpoint: { operation } }) => ({
    /** What the tests call it: its operationId, in Petstore 3 with the base path before it. */
    name: of === BASE_PATH ? operation.id : `${of}#${operation.id}`,
    id: operation.id as OperationId,
    basePath: of,
    method,
    /** The pattern of its path. */
    route: path,
    operation,
  })),
);

/** The same, by name. */
export function operationOf(name: string): (typeof operations)[number] {
  const found = operations.find((each) => each.name === name);
  if (!found) throw new Error(`no operation ${name}`);
  return found;
}

/** What of a request differs. */
type But = (of: Made<object>, request: Exchange) => Partial<Exchange> | Promise<Partial<Exchange>>;

/** How a request differs from the one of its operation above. */
export interface Special {
  /** Makes the resource of the request, if it must be a special one. */
  readonly makers?: Makers;
  /** A text for the request to hold. */
  readonly word?: string;
  readonly but?: But;
}

/**
 * What differs is stated as for the interface of the specification.
 * @returns a request of an operation, with what it needs, and what it is about
 */
export async function prepare(
  name: string,
  { makers = STORED, word = "word", but }: Special = {},
): Promise<{ readonly of: Made<object>; readonly request: Exchange }> {
  const { id, method, basePath: to } = operationOf(name);
  const { of, request: stated } = await REQUESTS[id](makers, word);
  const usual = { method, ...stated };
  const request = { ...usual, ...(await but?.(of, usual)) };
  return { of, request: to === BASE_PATH ? request : asPetstore3(request) };
}

/** The request's JSON with these members too. */
export const withMembers = ({ json }: Exchange, members: object): Partial<Exchange> => ({
  json: { ...(json as object), ...members },
});

/** With `If-Match`, so that it fails if another client was faster. */
export const underCondition = ({ etag }: Made<object>): Partial<Exchange> => ({
  headers: { "If-Match": etag },
});

/** With an id that the client chose. */
export const withChosenId: But = (_, request) => withMembers(request, { id: uniqueId() });

/** Sends a whole request, with these headers too. */
export async function exchange(
  client: Send,
  { method, path, ...sent }: Exchange,
  headers: Sent["headers"] = {},
): Promise<Answer> {
  return client(method, path, { ...sent, headers: { ...sent.headers, ...headers } });
}
