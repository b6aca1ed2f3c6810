import { beforeAll, describe, expect, test } from "vitest";
import type { Init } from "../client.ts";
import {
  createPet,
  createUser,
  logIn,
  placeOrder,
  protectedEnv,
  sandbox,
  send,
  uniqueName,
} from "../client.ts";

const { API_KEY } = protectedEnv;
const OWN_SANDBOX = sandbox();

/** The interfaces of the Worker, and that of a sandbox which has protected access. */
const BASES = ["/v2", "/api/v3", `${OWN_SANDBOX}/v2`] as const;
type Base = (typeof BASES)[number];

beforeAll(async () => {
  const access = { access: "protected", apiKey: API_KEY };
  expect((await send("PUT", `${OWN_SANDBOX}/access`, { json: access })).status).toBe(204);
});

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** The headers of each credential, of the owner's token and another user's. */
const CREDENTIALS: Readonly<
  Record<string, (owner: string, another: string) => Record<string, string>>
> = {
  "no credential": () => ({}),
  "a dead token": () => bearer("A".repeat(43)),
  "another user's session": (_, another) => bearer(another),
  "the owner's session": (owner) => bearer(owner),
  "the API key": () => ({ api_key: API_KEY }),
  "a wrong API key": () => ({ api_key: "special-key" }),
  "the owner's cookie": (owner) => ({ Cookie: `session=${owner}` }),
  "the owner's cookie from another site": (owner) => ({
    Cookie: `session=${owner}`,
    "Sec-Fetch-Site": "cross-site",
  }),
};

/** The statuses by who may use an operation, in the order of the credentials. */
const STATUSES = {
  anyone: [200, 200, 200, 200, 200, 200, 200, 200],
  "whoever has a credential": [401, 401, 200, 200, 200, 401, 200, 401],
  "the owner, to change it": [401, 401, 403, 200, 200, 401, 200, 401],
  "the owner, to read it": [401, 401, 403, 200, 200, 401, 200, 200],
} as const;

/** What a request is about. It is the owner's. */
interface Subject {
  readonly id: number;
  readonly path: string;
  readonly username: string;
  readonly password: string;
}

type Request = readonly [method: string, path: string, init?: Init];

const png = new Blob(["\u0089PNG\r\n"], { type: "image/png" });

function imageForm(): FormData {
  const form = new FormData();
  form.set("file", png, "rex.png");
  return form;
}

const twoUsers = () => [{ username: uniqueName() }, { username: uniqueName() }];

const OPERATIONS: readonly (readonly [
  operation: string,
  who: keyof typeof STATUSES,
  about: "nothing" | "a pet" | "an image" | "an order" | "a user",
  request: (subject: Subject, base: Base) => Request,
])[] = [
  [
    "addPet",
    "whoever has a credential",
    "nothing",
    () => ["POST", "/pet", { json: { name: "Rex", photoUrls: [] } }],
  ],
  [
    "updatePet",
    "the owner, to change it",
    "a pet",
    ({ id }) => ["PUT", "/pet", { json: { id, name: "Max", photoUrls: [] } }],
  ],
  ["findPetsByStatus", "anyone", "nothing", () => ["GET", "/pet/findByStatus?status=sold"]],
  ["findPetsByTags", "anyone", "nothing", () => ["GET", "/pet/findByTags?tags=dog"]],
  ["getPetById", "anyone", "a pet", ({ path }) => ["GET", path]],
  [
    "updatePetWithForm",
    "the owner, to change it",
    "a pet",
    ({ path }, base) =>
      base === "/api/v3"
        ? ["POST", `${path}?status=sold`]
        : ["POST", path, { body: new URLSearchParams({ status: "sold" }) }],
  ],
  ["deletePet", "the owner, to change it", "a pet", ({ path }) => ["DELETE", path]],
  [
    "uploadFile",
    "the owner, to change it",
    "a pet",
    ({ path }, base) => [
      "POST",
      `${path}/uploadImage`,
      { body: base === "/api/v3" ? png : imageForm() },
    ],
  ],
  ["getPetImage", "anyone", "an image", ({ path }) => ["GET", path]],
  ["getInventory", "anyone", "nothing", () => ["GET", "/store/inventory"]],
  [
    "placeOrder",
    "whoever has a credential",
    "nothing",
    () => ["POST", "/store/order", { json: { id: 1_000_000, petId: 1 } }],
  ],
  ["getOrderById", "the owner, to read it", "an order", ({ path }) => ["GET", path]],
  ["deleteOrder", "the owner, to change it", "an order", ({ path }) => ["DELETE", path]],
  [
    "createUser",
    "anyone",
    "nothing",
    () => ["POST", "/user", { json: { username: uniqueName() } }],
  ],
  [
    "createUsersWithArrayInput",
    "anyone",
    "nothing",
    () => ["POST", "/user/createWithArray", { json: twoUsers() }],
  ],
  [
    "createUsersWithListInput",
    "anyone",
    "nothing",
    () => ["POST", "/user/createWithList", { json: twoUsers() }],
  ],
  [
    "loginUser",
    "anyone",
    "a user",
    ({ username, password }) => ["GET", `/user/login?username=${username}&password=${password}`],
  ],
  ["logoutUser", "anyone", "nothing", () => ["GET", "/user/logout"]],
  ["getUserByName", "the owner, to read it", "a user", ({ path }) => ["GET", path]],
  [
    "updateUser",
    "the owner, to change it",
    "a user",
    ({ path }) => ["PUT", path, { json: { phone: "1" } }],
  ],
  ["deleteUser", "the owner, to change it", "a user", ({ path }) => ["DELETE", path]],
];

/** Operations that Petstore 3 does not have. */
const ONLY_V2 = new Set(["createUsersWithArrayInput", "getPetImage"]);

const CELLS = BASES.flatMap((base) =>
  OPERATIONS.filter(([operation]) => base !== "/api/v3" || !ONLY_V2.has(operation)).flatMap(
    ([operation, who, about, request]) =>
      Object.keys(CREDENTIALS).map((credential, column) => ({
        base,
        shown: base.replace(OWN_SANDBOX, "/sandboxes/…"),
        operation,
        about,
        request,
        credential,
        status: STATUSES[who][column],
      })),
  ),
);

/** Settings for the Worker; a sandbox has its own. */
const settingsOf = (base: Base) => (base.startsWith("/sandboxes/") ? {} : { env: protectedEnv });

/** Makes what a request is about, with the owner's session. */
async function make(
  about: (typeof CELLS)[number]["about"],
  base: Base,
  owner: { readonly username: string; readonly password: string },
  token: string,
): Promise<Subject> {
  const at = { base, headers: bearer(token), ...settingsOf(base) };
  if (about === "a pet" || about === "an image") {
    const { id } = await createPet({ photoUrls: [] }, at);
    if (about === "a pet") return { ...owner, id, path: `/pet/${id}` };
    const to = `${base}/pet/${id}/uploadImage`;
    await send("POST", to, { ...at, body: imageForm() });
    const pet = await (await send("GET", `${base}/pet/${id}`, at)).json<{ photoUrls: string[] }>();
    const { pathname } = new URL(pet.photoUrls[0] ?? "", "http://petstore.test");
    return { ...owner, id, path: pathname.slice(base.length) };
  }
  if (about === "an order") {
    const { id } = await placeOrder({ petId: 1 }, at);
    return { ...owner, id, path: `/store/order/${id}` };
  }
  return { ...owner, id: 0, path: about === "a user" ? `/user/${owner.username}` : "" };
}

describe("where access is protected,", () => {
  test.each(CELLS)(
    "$operation at $shown is $status with $credential",
    async ({ base, operation, about, request, credential, status }) => {
      const settings = settingsOf(base);
      const owner = await createUser({}, { base, ...settings });
      const another = await createUser({}, { base, ...settings });
      const token = await logIn(owner, { base, ...settings });
      const headers = CREDENTIALS[credential]?.(token, await logIn(another, { base, ...settings }));
      const subject = await make(about, base, owner, token);
      const [method, path, init] = request(subject, base);
      const answer = await send(method, `${base}${path}`, { ...init, ...settings, headers });
      expect(answer.status).toBe(status);

      const challenge = answer.headers.get("www-authenticate");
      expect(challenge !== null).toBe(status === 401);
      if (status === 401) {
        expect(challenge?.includes('error="invalid_token"')).toBe(credential === "a dead token");
        // The operation takes the API key: the error says how to send it.
        expect(await answer.text()).toMatch(/api_key.*X-API-Key/);
      }
      // Frees the ids 1 to 10, the only ones that can be looked up.
      const order = operation === "placeOrder" ? "/store/order/1000000" : subject.path;
      if (/\/order\//.test(order)) {
        await send("DELETE", `${base}${order}`, { ...settings, headers: { api_key: API_KEY } });
      }
    },
  );
});

describe("where access is open,", () => {
  test.each(
    CELLS.filter(({ base, credential }) => {
      const isWrong = credential === "a dead token" || credential === "a wrong API key";
      return isWrong && !base.startsWith("/sandboxes/");
    }),
  )("$operation at $shown ignores $credential", async ({ base, about, request, credential }) => {
    const owner = await createUser({}, { base });
    const token = await logIn(owner, { base });
    const subject = await make(about, base, owner, token);
    const [method, path, init] = request(subject, base);
    const headers = CREDENTIALS[credential]?.(token, token);
    expect((await send(method, `${base}${path}`, { ...init, headers })).status).toBe(200);
    if (about === "an order") await send("DELETE", `${base}${subject.path}`);
  });
});
