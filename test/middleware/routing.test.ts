import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createPet, createUser, placeOrder, send } from "../client.ts";

const NOT_FOUND = { code: 404, type: "error", message: "Not found" };
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

/** The paths of both APIs, with their methods. */
const PATHS = [
  ["/v2/pet", ["POST", "PUT"]],
  ["/v2/pet/findByStatus", ["GET", "HEAD"]],
  ["/v2/pet/findByTags", ["GET", "HEAD"]],
  ["/v2/pet/1", ["GET", "HEAD", "POST", "DELETE"]],
  ["/v2/pet/1/uploadImage", ["POST"]],
  ["/v2/pet/1/images/a.png", ["GET", "HEAD"]],
  ["/v2/store/inventory", ["GET", "HEAD"]],
  ["/v2/store/order", ["POST"]],
  ["/v2/store/order/1", ["GET", "HEAD", "DELETE"]],
  ["/v2/user", ["POST"]],
  ["/v2/user/createWithArray", ["POST"]],
  ["/v2/user/login", ["GET", "HEAD"]],
  ["/v2/user/somebody", ["GET", "HEAD", "PUT", "DELETE"]],
  ["/api/v3/pet", ["POST", "PUT"]],
  ["/api/v3/pet/1", ["GET", "HEAD", "POST", "DELETE"]],
  ["/api/v3/user/somebody", ["GET", "HEAD", "PUT", "DELETE"]],
] as const;

/** Fixed paths that another route treats as an ID or a username: other methods return 400 there. */
const LIKE_IDS = /\/(?:findBy\w+|login|logout|createWith\w+)$/;

const allowOf = ({ headers }: Response) => (headers.get("allow") ?? "").split(", ").toSorted();

describe("a path", () => {
  test.each(PATHS.filter(([path]) => !LIKE_IDS.test(path)))(
    "%s returns 405 with Allow for every method except %j",
    async (path, methods) => {
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
        if ((methods as readonly string[]).includes(method)) continue;
        const response = await send(method, path);
        expect([method, response.status]).toEqual([method, 405]);
        expect(allowOf(response)).toEqual([...methods, "OPTIONS"].toSorted());
        const body = { code: 405, type: "error", message: "Method not allowed" };
        expect(await response.text()).toBe(method === "HEAD" ? "" : JSON.stringify(body));
      }
    },
  );

  test.each(PATHS)("%s responds to OPTIONS with Allow, and to a browser's preflight", async (path, methods) => {
    const response = await send("OPTIONS", path);
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(allowOf(response)).toEqual(expect.arrayContaining([...methods]));
    const headers = {
      origin: "https://shop.example",
      "access-control-request-method": methods[0],
      "access-control-request-headers": "api_key,authorization,content-type,if-match",
    };
    const preflight = await send("OPTIONS", path, { headers });
    const header = (name: string) => preflight.headers.get(`access-control-${name}`);
    expect([preflight.status, header("allow-origin")]).toEqual([204, "*"]);
    expect(header("allow-credentials")).toBeNull();
    expect(header("allow-methods")).toContain(methods.at(-1));
    expect(header("allow-headers")?.toLowerCase()).toContain("api_key");
  });

  test.each(["/v2", "/api/v3"])("under %s can end with a slash", async (base) => {
    const { id } = await createPet();
    const { username, password } = await createUser();
    await placeOrder({ id: 1 });
    const login = `/user/login/?username=${username}&password=${password}`;
    for (const path of [`/pet/${id}/`, "/pet/findByStatus/?status=sold", "/store/order/1/", login]) {
      expect((await send("GET", base + path)).status, path).toBe(200);
    }
    const json = { name: "Rex", photoUrls: [] };
    expect((await send("POST", `${base}/pet/`, { json })).status).toBe(200);
  });

  test.each([
    ..."/v2/ /v2/pets /v2/Pet /v2/pet/1/photos /v2/store /v2/store/orders /v2/user/a/b".split(" "),
    ..."/v2/store/inventory/sold /v2/v2/pet/1 /api/v3/nowhere /api /nowhere /V2/pet".split(" "),
  ])("that is unknown returns 404 as JSON unless the client accepts HTML: %s", async (path) => {
    const headers = { accept: "application/json, */*" };
    for (const method of ["GET", "POST", "DELETE"]) {
      expect(await (await send(method, path, { headers })).json()).toEqual(NOT_FOUND);
    }
  });
});

describe("a browser", () => {
  test.each(["/v2", "/v2/", "/v2/nowhere", "/api/v3", "/nowhere", "/v1/pet/1", "/sandbox"])(
    "that requests %s gets a page that links to the documentation",
    async (path) => {
      const response = await send("GET", path, { headers: BROWSER });
      expect(response.headers.get("content-type")).toMatch(/^text\/html/);
      expect(response.headers.get("vary")).toMatch(/accept/i);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('href="/docs/"');
    },
  );

  test("is redirected from / to the documentation", async () => {
    const response = await send("GET", "/", { headers: BROWSER });
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("/docs/");
  });

  test("can display uploaded images on the documentation page", async () => {
    const page = await env.ASSETS.fetch("http://assets/docs/");
    expect(page.headers.get("content-security-policy")).toMatch(/img-src [^;]*blob:/);
  });
});

test("HEAD is GET without the body", async () => {
  const { id } = await createPet();
  const { username } = await createUser();
  const list = "/v2/pet/findByStatus?status=sold";
  const texts = ["/v2/user/logout", "/api/v3/user/logout", "/v2/openapi.json", "/api/v3/openapi.yaml"];
  for (const path of [
    `/v2/pet/${id}`,
    `/v2/user/${username}`,
    list,
    "/health",
    "/v2/pet/seven",
    "/nowhere",
    ...texts,
  ]) {
    const [get, head] = [await send("GET", path), await send("HEAD", path)];
    expect([path, head.status, await head.text()]).toEqual([path, get.status, ""]);
    for (const name of ["content-type", "etag", "cache-control"]) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  }
});

test("GET /health returns 200 without any binding, setting, or limit", async () => {
  const touched: PropertyKey[] = [];
  const binding = new Proxy({}, { get: (_, name) => touched.push(name) });
  const untouchable = Object.keys(env).map((name) => [name, binding]);
  const response = await send("GET", "/health", { env: Object.fromEntries(untouchable) as object });
  expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
  expect(touched).toEqual([]);
});
