import { describe, expect, test } from "vitest";
import { send } from "../client.ts";
import type { Answer, Sent } from "../client.ts";
import {
  createPet,
  done,
  freeOrderIds,
  outcome,
  success,
  tokenOf,
  uniqueId,
  uniqueName,
} from "../fixtures.ts";

// Requests as clients send them that swagger-codegen and OpenAPI Generator made from the description of
// the classic Petstore, byte for byte where it matters.

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";
const TYPED = { "Content-Type": JSON_TYPE };
const EMPTY = { "Content-Length": "0" };

/** Where generators or their HTTP libraries differ. */
const CLIENTS: readonly (readonly [
  client: string,
  userAgent: string,
  /** What it sends with every request. */
  always: Headers,
  jsonType: string,
  formType: string,
  /** What it sends with a DELETE that has no body. */
  emptyDelete: { readonly headers?: Headers; readonly body?: string },
])[] = [
  [
    "Java (okhttp-gson)",
    "Swagger-Codegen/1.0.0/java",
    { Accept: JSON_TYPE, "Accept-Encoding": "gzip" },
    "application/json; charset=utf-8",
    FORM,
    { headers: { ...TYPED, ...EMPTY } },
  ],
  [
    "Java (resttemplate)",
    "Swagger-Codegen/1.0.0/java",
    { Accept: "application/xml, application/json" },
    "application/json;charset=UTF-8",
    `${FORM};charset=UTF-8`,
    { headers: EMPTY },
  ],
  [
    "Python (urllib3)",
    "Swagger-Codegen/1.0.0/python",
    { Accept: JSON_TYPE },
    JSON_TYPE,
    FORM,
    { headers: TYPED, body: "{}" },
  ],
  [
    "Ruby (typhoeus)",
    "Swagger-Codegen/1.0.0/ruby",
    { Accept: JSON_TYPE, Expect: "" },
    JSON_TYPE,
    FORM,
    { headers: TYPED },
  ],
  [
    "Perl (LWP)",
    "Swagger-Codegen/1.0.0/perl",
    { Accept: JSON_TYPE, TE: "deflate,gzip;q=0.3", Connection: "TE, close" },
    JSON_TYPE,
    FORM,
    { headers: { ...TYPED, ...EMPTY } },
  ],
  ["TypeScript (fetch)", "node", { Accept: "*/*" }, JSON_TYPE, `${FORM};charset=UTF-8`, {}],
  [
    "TypeScript (axios)",
    "axios/1.7.9",
    { Accept: "application/json, text/plain, */*" },
    "application/json; charset=utf-8",
    `${FORM}; charset=utf-8`,
    { headers: TYPED, body: "" },
  ],
];

const credentials = { Authorization: "Bearer special-token", api_key: "special-key" };

const petOf = (members: object = {}) => ({
  id: uniqueId(),
  category: { id: 0, name: "string" },
  name: "doggie",
  photoUrls: ["string"],
  tags: [{ id: 0, name: "string" }],
  status: "available",
  ...members,
});

describe.each(CLIENTS)("a client in %s", (_, userAgent, always, jsonType, formType, empty) => {
  const sendAs = async (method: string, path: string, { headers, body }: Sent): Promise<Answer> =>
    send(method, path, {
      headers: { "User-Agent": userAgent, ...always, ...credentials, ...headers },
      ...(body !== undefined && { body }),
    });
  const json = async (method: string, path: string, body: unknown): Promise<Answer> =>
    sendAs(method, path, { body: JSON.stringify(body), headers: { "Content-Type": jsonType } });
  // Python's sends the type of a body with requests that have none.
  const get = async (path: string): Promise<Answer> => sendAs("GET", path, { headers: TYPED });
  const remove = async (path: string): Promise<Answer> => sendAs("DELETE", path, empty);

  test("adds, replaces, finds and deletes a pet §9.6", async () => {
    const pet = petOf();
    const path = `/pet/${pet.id}`;
    expect(outcome(await json("POST", "/pet", pet))).toEqual(success(pet));
    const sold = { ...pet, status: "sold", tags: [] };
    expect(outcome(await json("PUT", "/pet", sold))).toEqual(success(sold));
    const found = await get(path);
    expect(outcome(found)).toEqual(success(sold));
    expect(found.headers.get("content-type")).toBe("application/json");
    expect(outcome(await remove(path))).toEqual(done(String(pet.id)));
    expect((await get(path)).status).toBe(404);
  });

  test("updates a pet with a form §9.6", async () => {
    const { id, path, shown } = await createPet(petOf());
    const answer = await sendAs("POST", path, {
      body: "name=Max+%26+M%C3%B6ritz&status=sold",
      headers: { "Content-Type": formType },
    });
    expect(outcome(answer)).toEqual(done(String(id)));
    expect((await get(path)).json).toEqual({ ...shown, name: "Max & Möritz", status: "sold" });
  });

  test("places, finds and deletes an order §9.6", async () => {
    await freeOrderIds();
    const order = {
      id: 3,
      petId: 0,
      quantity: 0,
      shipDate: "2026-11-21T10:15:30.123Z",
      status: "placed",
      complete: false,
    };
    expect(outcome(await json("POST", "/store/order", order))).toEqual(success(order));
    expect(outcome(await get("/store/order/3"))).toEqual(success(order));
    expect(outcome(await remove("/store/order/3"))).toEqual(done("3"));
    expect((await get("/store/inventory")).status).toBe(200);
  });

  test("creates, logs in, updates and deletes users §9.6", async () => {
    const [one = "", ...others] = Array.from({ length: 3 }, () => uniqueName("generated"));
    const user = { id: uniqueId(), username: one, password: "p w", userStatus: 0 };
    expect(outcome(await json("POST", "/user", user))).toEqual(done(String(user.id)));
    for (const [index, username] of others.entries()) {
      const path = ["/user/createWithArray", "/user/createWithList"][index] ?? "";
      expect(outcome(await json("POST", path, [{ username }]))).toEqual(done("ok"));
    }
    const login = await get(`/user/login?username=${one}&password=p%20w`);
    expect(tokenOf(login)).toMatch(/^[\w-]{43}$/);
    const changed = { ...user, phone: "1" };
    expect(outcome(await json("PUT", `/user/${one}`, changed))).toEqual(done(String(user.id)));
    expect(outcome(await get(`/user/${one}`))).toEqual(success(changed));
    expect(outcome(await get("/user/logout"))).toEqual(done("ok"));
    for (const username of [one, ...others]) {
      expect(outcome(await remove(`/user/${username}`))).toEqual(done(username));
    }
  });
});

test.each(["application/json", "application/xml, application/json", "application/xml", "*/*", ""])(
  "the Accept header %j gets JSON §9.6",
  async (accept) => {
    const { path, shown } = await createPet();
    const found = await send("GET", path, { headers: { Accept: accept } });
    expect(outcome(found)).toEqual(success(shown));
    expect(found.headers.get("content-type")).toBe("application/json");
  },
);
