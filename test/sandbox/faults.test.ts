import { describe, expect, test } from "vitest";
import { getJson, sandbox, send } from "../client.ts";
import { classicSandbox, demand, protect, readRules, readUses, sendUnchecked } from "./sandboxes.ts";

/** Sends the same request so many times. @returns the statuses of the responses */
async function repeated(times: number, path: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time++) statuses.push((await sendUnchecked(path)).status);
  return statuses;
}

describe("a rule selects", () => {
  const REQUESTS = [
    ["GET", "/v2/pet/1"],
    ["HEAD", "/v2/pet/1/"],
    ["GET", "/api/v3/pet/2?a=b"],
    ["GET", "/v2/pet/findByStatus?status=sold"],
    ["DELETE", "/v2/pet/1"],
    ["DELETE", "/api/v3/pet/2"],
    ["GET", "/v2/user/J%C3%B6rg"],
    ["GET", "/v2/nowhere"],
  ] as const;

  test.each<[object, number[]]>([
    [{}, [0, 1, 2, 3, 4, 5, 6, 7]],
    [{ operationId: "getPetById" }, [0, 1, 2]],
    [{ method: "DELETE" }, [4, 5]],
    [{ method: "GET" }, [0, 1, 2, 3, 6, 7]],
    [{ method: "HEAD" }, [1]],
    [{ path: "/pet/1" }, [0, 1, 4]],
    [{ path: "/pet/{petId}" }, [0, 1, 2, 4, 5]],
    [{ path: "/pet/{petId}", method: "DELETE" }, [4, 5]],
    [{ path: "/user/Jörg" }, [6]],
  ])("requests to both APIs: %j", async (aim, indexes) => {
    const path = await classicSandbox({ ...aim, status: 418 });
    const met: number[] = [];
    for (const [index, [method, below]] of REQUESTS.entries()) {
      if ((await sendUnchecked(path + below, method)).status === 418) met.push(index);
    }
    expect(met).toEqual(indexes);
    expect(await readUses(path)).toEqual([indexes.length]);
  });

  test("neither OPTIONS, nor requests outside the APIs, nor other sandboxes", async () => {
    const path = sandbox();
    await demand(path, { status: 503 });
    const preflight = { Origin: "https://a.example", "Access-Control-Request-Method": "GET" };
    for (const headers of [{}, preflight]) {
      expect((await sendUnchecked(`${path}/v2/pet/1`, "OPTIONS", { headers })).status).toBe(204);
    }
    const inventory = "/v2/store/inventory";
    const others = [path, `${path}/data`, `${path}/v2/openapi.json`, sandbox() + inventory];
    for (const other of [...others, inventory]) {
      expect((await send("GET", other)).status).toBe(200);
    }
    expect(await readUses(path)).toEqual([0]);
  });

  test("a request with a method that its path does not have", async () => {
    const path = sandbox();
    await send("PATCH", `${path}/v2/pet/1`);
    const [request] = await getJson<object[]>(`${path}/requests`);
    expect(request).toMatchObject({ status: 405, responseBody: expect.stringContaining('"code":405') });
    await demand(path, { status: 404, body: "mine" });
    const response = await sendUnchecked(`${path}/v2/pet/1`, "PATCH");
    expect([response.status, await response.text()]).toEqual([404, "mine"]);
  });

  test("a request for a user whose name looks like a document", async () => {
    const path = sandbox();
    expect((await send("GET", `${path}/v2/user/openapi.json`)).status).toBe(404);
    await demand(path, { operationId: "getUserByName", status: 503 });
    expect((await sendUnchecked(`${path}/v2/user/openapi.json`)).status).toBe(503);
  });
});

describe("a rule for a literal path", () => {
  test.each([
    ["/user/a@b.de", "/user/a%40b.de"],
    ["/user/a%40b.de", "/user/a@b.de"],
    ["/user/J%c3%b6rg", "/user/J%C3%B6rg"],
    ["/user/Jörg", "/user/J%c3%b6rg"],
    ["/user/~ann", "/user/%7Eann"],
    ["/user/us%65r1", "/user/user1"],
    ["/user/user1", "/user/us%65r1/"],
    ["/pet/1", "/%70et/1"],
    ["/%70et/1/", "/pet/%31"],
    ["/user/a b", "/user/a%20b"],
    ["/user/a%2Fb", "/user/a%2fb"],
    ["/user/a%25b", "/user/a%25b"],
    // A malformed escape is text, as for the router.
    ["/user/100%", "/user/100%"],
    ["/user/%ZZ%41", "/user/%ZZA"],
    ["/user/%FF", "/user/%FF"],
  ])("%s selects %s", async (rule, below) => {
    const path = await classicSandbox({ path: rule, status: 418 });
    for (const base of ["/v2", "/api/v3", "/%762", "/api/%76%33"]) {
      expect((await sendUnchecked(path + base + below)).status).toBe(418);
    }
  });

  test.each([
    ["/user/a%2Fb", "/user/a/b"],
    ["/user/a%252Fb", "/user/a%2Fb"],
    ["/user/a%2540b", "/user/a%40b"],
    ["/user/a", "/user/A"],
    ["/pet/1", "/pet//1"],
    ["/pet/1", "/pet%2F1"],
    ["/pet/1", "/pet/01"],
    ["/user/%7BpetId%7D", "/user/petId"],
    ["/user/a%3Fb", "/user/a?b"],
    ["/pet/{petId}", "/pet/findByStatus?status=sold"],
    ["/pet/{petId}", "/pet/1/2"],
  ])("%s does not select %s", async (rule, below) => {
    const path = await classicSandbox({ path: rule, status: 418 });
    expect((await sendUnchecked(`${path}/v2${below}`)).status).not.toBe(418);
    expect(await readUses(path)).toEqual([0]);
  });

  test("as in the documents also selects methods that the path does not have", async () => {
    const path = await classicSandbox({ path: "/pet/{petId}", method: "PUT", status: 418 });
    expect((await sendUnchecked(`${path}/v2/pet/1`, "PUT")).status).toBe(418);
    expect((await sendUnchecked(`${path}/api/v3/pet`, "PUT")).status).toBe(400);
  });
});

describe("a rule applies", () => {
  test.each([
    [{ times: 2 }, [503, 503, 200, 200, 200, 200]],
    [{ every: 3 }, [200, 200, 503, 200, 200, 503]],
    [{ chance: 0 }, [200, 200, 200, 200, 200, 200]],
    [{ chance: 1 }, [503, 503, 503, 503, 503, 503]],
  ])("as often as its limits allow: %j", async (often, statuses) => {
    const path = await classicSandbox({ ...often, operationId: "getPetById", status: 503 });
    await sendUnchecked(`${path}/v2/store/inventory`);
    expect(await repeated(6, `${path}/v2/pet/1`)).toEqual(statuses);
    expect(await readUses(path)).toEqual([statuses.filter((status) => status === 503).length]);
  });

  test("if it is the first rule that applies, and no other rule is used", async () => {
    const path = await classicSandbox(
      { operationId: "deletePet", status: 500 },
      { operationId: "getPetById", times: 1, status: 502 },
      { method: "GET", times: 1, status: 503 },
      { method: "GET", headers: { "x-rule": "last" } },
    );
    expect(await repeated(3, `${path}/v2/pet/1`)).toEqual([502, 503, 200]);
    expect(await readUses(path)).toEqual([0, 1, 1, 1]);
    expect((await sendUnchecked(`${path}/v2/pet/1`)).headers.get("x-rule")).toBe("last");
  });

  test("only the remaining times if `used` is sent back", async () => {
    const path = await classicSandbox({ times: 3, status: 503 });
    await repeated(2, `${path}/v2/pet/1`);
    await demand(path, ...(await readRules(path)));
    expect(await repeated(2, `${path}/v2/pet/1`)).toEqual([503, 200]);
  });
});

/** An error without what may differ: its ID, its invalid fields, whether a page was possible, and whether a cache may keep it. */
async function likenessOf(response: Response): Promise<object> {
  const { errors: _, ...body } = await response.json<{ errors?: unknown }>();
  const headers = Object.fromEntries(response.headers);
  for (const name of ["x-request-id", "content-length", "date", "vary", "cache-control"]) delete headers[name];
  return { status: response.status, body, headers };
}

describe("a fault response", () => {
  test.each([
    [400, "GET", "/v2/pet/abc", "/v2/pet/1"],
    [401, "DELETE", "/v2/pet/1", "/v2/pet/1"],
    [404, "GET", "/v2/pet/404", "/v2/pet/1"],
    [404, "GET", "/api/v3/store/order/404", "/api/v3/store/order/8"],
    [405, "PATCH", "/v2/pet/1", "/v2/pet/2"],
    [415, "POST", "/v2/store/order", "/v2/store/order"],
    [422, "POST", "/api/v3/pet", "/api/v3/pet"],
    [413, "PUT", "/v2/pet", "/v2/pet"],
    [413, "POST", "/v2/user/createWithList", "/v2/user/createWithList"],
    [413, "POST", "/v2/pet/1/uploadImage", "/v2/pet/1/uploadImage"],
    [413, "POST", "/api/v3/pet/1/uploadImage", "/api/v3/pet/1/uploadImage"],
    [405, "PATCH", "/api/v3/pet", "/api/v3/pet"],
    [405, "POST", "/api/v3/user/createWithArray", "/api/v3/user/createWithArray"],
    [404, "GET", "/v2/userx", "/v2/userx"],
  ])("%i looks like the real error of %s %s", async (status, method, real, other) => {
    const path = await classicSandbox();
    if (status === 401) await protect(path, "a-key-of-this-sandbox");
    const text = { body: "x", headers: { "content-type": "text/plain" } };
    const json = status === 413 ? "x".repeat(6 * 1024 * 1024) : {};
    const init = status === 415 ? text : method === "POST" || method === "PUT" ? { json } : {};
    const expected = await likenessOf(await send(method, path + real, init));
    expect(expected).toMatchObject({ status });
    await demand(path, { status });
    expect(await likenessOf(await sendUnchecked(path + other, method, init))).toEqual(expected);
  });

  test.each([
    [405, "allow"],
    [429, "retry-after"],
    [503, "retry-after"],
    [500, undefined],
  ])("%i has the form of an error and the header %s", async (status, header) => {
    const path = sandbox();
    await demand(path, { status });
    const response = await sendUnchecked(`${path}/v2/pet/1`);
    expect(await response.json()).toMatchObject({ code: status, type: "error" });
    for (const name of ["allow", "retry-after"]) {
      expect(response.headers.has(name)).toBe(name === header);
    }
  });

  test.each([
    [416, "/v2/pet/1/images/x", "Range not satisfiable"],
    [507, "/v2/pet", "A sandbox has at most 10 MB of data"],
  ])("%i has the message of the real error of %s", async (status, below, message) => {
    const path = sandbox();
    await demand(path, { status });
    expect(await (await sendUnchecked(path + below, "POST")).json()).toMatchObject({ code: status, message });
  });

  test("is sent instead of processing the request, or after it", async () => {
    const path = await classicSandbox({ operationId: "deletePet", status: 503, retryAfter: 7 });
    const { status, headers } = await sendUnchecked(`${path}/v2/pet/1`, "DELETE");
    expect([status, headers.get("retry-after")]).toEqual([503, "7"]);
    expect((await send("GET", `${path}/v2/pet/1`)).status).toBe(200);

    await demand(path, { operationId: "deletePet", status: 503, after: true });
    // The second finds no pet, and the rule applies all the same.
    for (let time = 0; time < 2; time++) {
      expect((await sendUnchecked(`${path}/v2/pet/1`, "DELETE")).status).toBe(503);
    }
    expect((await send("GET", `${path}/v2/pet/1`)).status).toBe(404);
  });

  test("has no headers of the real response", async () => {
    const path = await classicSandbox({ status: 500, after: true });
    for (const below of ["/pet/1", "/user/login?username=user1&password=XXXXXXXXXXX"]) {
      const { status, headers } = await sendUnchecked(`${path}/v2${below}`);
      expect(status).toBe(500);
      for (const name of ["etag", "set-cookie", "x-expires-after", "x-rate-limit"]) {
        expect(headers.has(name)).toBe(false);
      }
    }
  });

  test.each<[number, string, Record<string, string>]>([
    [502, "<h1>Bad gateway</h1>", { "content-type": "text/html" }],
    [200, '{"id":"one"}', { "content-type": "application/json", "x-own": "yes" }],
    [202, "", {}],
    [204, "", {}],
  ])("%i has the body and headers of its rule, and no browser runs it", async (...rule) => {
    const [status, body, headers] = rule;
    const path = sandbox();
    await demand(path, { status, body, headers, retryAfter: 3 });
    const response = await sendUnchecked(`${path}/v2/pet/1`);
    expect([response.status, await response.text()]).toEqual([status, body]);
    expect(response.headers.get("content-security-policy")).toMatch(/\bsandbox\b/);
    expect(Object.fromEntries(response.headers)).toMatchObject({ ...headers, "retry-after": "3" });
  });
});

describe("Prefer", () => {
  test.each([
    ["code=404, delay=0.01", 404],
    ["delay=0.01", 200],
  ])("%s applies to one request, and uses no rule", async (Prefer, status) => {
    const path = await classicSandbox({ status: 500, times: 1 });
    const response = await sendUnchecked(`${path}/v2/pet/1`, "GET", { headers: { Prefer } });
    expect([response.status, response.headers.get("preference-applied")]).toEqual([status, Prefer]);
    expect(await readUses(path)).toEqual([0]);
    const next = await sendUnchecked(`${path}/v2/pet/1`);
    expect([next.status, next.headers.has("preference-applied")]).toEqual([500, false]);
    const outside = await send("GET", "/v2/store/inventory", { headers: { Prefer } });
    expect([outside.status, outside.headers.has("preference-applied")]).toEqual([200, false]);
  });

  // RFC 7240: preferences and their parameters are tokens with an optional word, which may be quoted.
  test.each<[string | string[], string]>([
    ['code="404"', "code=404"],
    ["code = 404", "code=404"],
    ['Code\t=\t404 , DELAY = "0.01"', "code=404, delay=0.01"],
    ["respond-async,code=404", "code=404"],
    [", ,code=404,", "code=404"],
    ["code=404; code=503; foo", "code=404"],
    ['return=minimal; foo="a, code=503", code=404', "code=404"],
    ['foo="a \\", code=503", code=404', "code=404"],
    ['code="4\\04"', "code=404"],
    ["code=404, code=503", "code=404"],
    ["handling=lenient; code=503, code=404;delay=9", "code=404"],
    [["respond-async", "code=404", "code=503"], "code=404"],
  ])("%j is applied as %s", async (values, applied) => {
    const path = await classicSandbox();
    const headers = new Headers();
    for (const value of [values].flat()) headers.append("Prefer", value);
    const response = await sendUnchecked(`${path}/v2/pet/1`, "GET", { headers });
    expect([response.status, response.headers.get("preference-applied")]).toEqual([404, applied]);
  });

  test.each([
    ..."code=600 code=200 code=abc code code= code=4040 code=404.0 delay=31 delay=30.5 delay=-1 respond-async".split(
      " ",
    ),
    "respond-async; code=404",
    "respond-async; foo; delay=0.01",
    "code=abc, code=404",
    'code="", code=404',
    "my-code=404",
    "code=404 delay=0.01",
    "code=404=1",
    "code 404",
    "'code'=404",
    'foo="code=404',
    'foo="a, code=404',
    "code='404'",
  ])("%s is not applied", async (Prefer) => {
    const path = await classicSandbox();
    const response = await send("GET", `${path}/v2/pet/1`, { headers: { Prefer } });
    expect([response.status, response.headers.has("preference-applied")]).toEqual([200, false]);
  });
});
