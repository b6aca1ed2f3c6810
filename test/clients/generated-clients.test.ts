import { describe, expect, test } from "vitest";
import { send } from "../client.ts";
import type { Answer } from "../client.ts";
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

const USER_AGENT: Readonly<Record<string, string>> = {
  Java: "Swagger-Codegen/1.0.0/java",
  Python: "Swagger-Codegen/1.0.0/python",
  Ruby: "Swagger-Codegen/1.0.0/ruby",
  Perl: "Swagger-Codegen/1.0.0/perl",
  TypeScript: "axios/1.7.9",
};

interface Client {
  readonly language: string;
  /** Where generators or their HTTP libraries differ within the language. */
  readonly library: string;
  /** What it sends with every request, beside its User-Agent. */
  readonly always: Headers;
  /** The type of a JSON body. */
  readonly json: string;
  /** The type of a form. */
  readonly form: string;
  /** What it sends with a DELETE that has no body. */
  readonly emptyDelete: { readonly headers: Headers; readonly body?: string };
}

const FORM = "application/x-www-form-urlencoded";

const CLIENTS: readonly Client[] = [
  {
    language: "Java",
    library: "okhttp-gson",
    always: { Accept: "application/json", "Accept-Encoding": "gzip" },
    json: "application/json; charset=utf-8",
    form: FORM,
    emptyDelete: { headers: { "Content-Type": "application/json", "Content-Length": "0" } },
  },
  {
    language: "Java",
    library: "resttemplate",
    always: { Accept: "application/xml, application/json" },
    json: "application/json;charset=UTF-8",
    form: `${FORM};charset=UTF-8`,
    emptyDelete: { headers: { "Content-Length": "0" } },
  },
  {
    language: "Python",
    library: "urllib3",
    always: { Accept: "application/json" },
    json: "application/json",
    form: FORM,
    emptyDelete: { headers: { "Content-Type": "application/json" }, body: "{}" },
  },
  {
    language: "Ruby",
    library: "typhoeus",
    always: { Accept: "application/json", Expect: "" },
    json: "application/json",
    form: FORM,
    emptyDelete: { headers: { "Content-Type": "application/json" } },
  },
  {
    language: "Perl",
    library: "LWP",
    always: { Accept: "application/json", TE: "deflate,gzip;q=0.3", Connection: "TE, close" },
    json: "application/json",
    form: FORM,
    emptyDelete: { headers: { "Content-Type": "application/json", "Content-Length": "0" } },
  },
  {
    language: "TypeScript",
    library: "fetch",
    always: { Accept: "*/*" },
    json: "application/json",
    form: `${FORM};charset=UTF-8`,
    emptyDelete: { headers: {} },
  },
  {
    language: "TypeScript",
    library: "axios",
    always: { Accept: "application/json, text/plain, */*" },
    json: "application/json; charset=utf-8",
    form: `${FORM}; charset=utf-8`,
    emptyDelete: { headers: { "Content-Type": "application/json" }, body: "" },
  },
];

const credentials = { Authorization: "Bearer special-token", api_key: "special-key" };

function headersOf({ language, always }: Client, more: Headers = {}): Record<string, string> {
  return { "User-Agent": USER_AGENT[language] ?? "", ...always, ...credentials, ...more };
}

const petOf = (members: object = {}) => ({
  id: uniqueId(),
  category: { id: 0, name: "string" },
  name: "doggie",
  photoUrls: ["string"],
  tags: [{ id: 0, name: "string" }],
  status: "available",
  ...members,
});

describe.each(CLIENTS)("a $language client ($library)", (client) => {
  const json = async (method: string, path: string, body: unknown): Promise<Answer> =>
    send(method, path, {
      body: JSON.stringify(body),
      headers: headersOf(client, { "Content-Type": client.json }),
    });
  const get = async (path: string): Promise<Answer> =>
    send("GET", path, {
      // Python's sends the type of a body with requests that have none.
      headers: headersOf(client, { "Content-Type": "application/json" }),
    });
  const remove = async (path: string): Promise<Answer> => {
    const { headers, body } = client.emptyDelete;
    return send("DELETE", path, {
      headers: headersOf(client, headers),
      ...(body !== undefined && { body }),
    });
  };

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
    const answer = await send("POST", path, {
      body: "name=Max+%26+M%C3%B6ritz&status=sold",
      headers: headersOf(client, { "Content-Type": client.form }),
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
    const [one, other] = [uniqueName("generated"), uniqueName("generated")];
    const user = { id: uniqueId(), username: one, password: "p w", userStatus: 0 };
    expect(outcome(await json("POST", "/user", user))).toEqual(done(String(user.id)));
    expect(outcome(await json("POST", "/user/createWithArray", [{ username: other }]))).toEqual(
      done("ok"),
    );
    const third = uniqueName("generated");
    expect(outcome(await json("POST", "/user/createWithList", [{ username: third }]))).toEqual(
      done("ok"),
    );
    const login = await get(`/user/login?username=${one}&password=p%20w`);
    expect(tokenOf(login)).toMatch(/^[\w-]{43}$/);
    const changed = { ...user, phone: "1" };
    expect(outcome(await json("PUT", `/user/${one}`, changed))).toEqual(done(String(user.id)));
    expect(outcome(await get(`/user/${one}`))).toEqual(success(changed));
    expect(outcome(await get("/user/logout"))).toEqual(done("ok"));
    for (const username of [one, other, third]) {
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
