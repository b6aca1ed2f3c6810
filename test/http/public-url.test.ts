import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { attemptLogin, createPet, createUser, formOf, sandbox, send, type Init, type ShownPet } from "../client.ts";

/** Settings for a proxy that strips `/shop`, as in docs/hosting.md. */
const env = { PUBLIC_URL: "https://pets.example/shop" };

/** Resolves a URL or path as a client of the proxy does. */
const seen = (address: string | null | undefined) => new URL(address ?? "missing:", "https://pets.example").href;

describe("behind a proxy with PUBLIC_URL", () => {
  test("the link to the next page points to the proxy", async () => {
    for (const id of [9001, 9002]) await createPet({ id, status: "sold" });
    for (const base of ["/v2", "/api/v3"]) {
      const response = await send("GET", `${base}/pet/findByStatus?status=sold&limit=1&after=9000`, { env });
      const [, next] = /^<(.+)>; rel="next"$/.exec(response.headers.get("link") ?? "") ?? [];
      expect(seen(next)).toMatch(new RegExp(`^https://pets\\.example/shop${base}/pet/findByStatus\\?`));
    }
  });

  test("Content-Location and image URLs point to the proxy", async () => {
    const response = await send("POST", "/v2/pet", { json: { name: "Rex", photoUrls: [] }, env });
    const { id } = await response.json<ShownPet>();
    expect(seen(response.headers.get("content-location"))).toBe(`https://pets.example/shop/v2/pet/${id}`);
    const body = formOf({ file: new Blob(["hello"]) });
    await send("POST", `/v2/pet/${id}/uploadImage`, { body, env });
    const { photoUrls } = await (await send("GET", `/v2/pet/${id}`)).json<ShownPet>();
    const url = seen(photoUrls[0]);
    expect(url).toContain(`https://pets.example/shop/v2/pet/${id}/images/`);
    const image = await send("GET", url.replace("https://pets.example/shop", ""), { env });
    expect(await image.text()).toBe("hello");
  });

  test.each(["/v2", "/api/v3"])(
    "the login cookie of %s has the proxy's path, and is Secure if the proxy uses https",
    async (base) => {
      const login = await attemptLogin(await createUser(), { base, env });
      const logout = await send("GET", `${base}/user/logout`, { env });
      for (const { headers } of [login, logout]) {
        const attributes = headers.get("set-cookie")?.split("; ");
        expect(attributes).toContain(`Path=/shop${base}`);
        expect(attributes).toContain("Secure");
      }
      const inClear = { PUBLIC_URL: "http://pets.example" };
      const plain = await send("GET", `https://petstore.test${base}/user/logout`, { env: inClear });
      const attributes = plain.headers.get("set-cookie")?.split("; ");
      expect(attributes).toContain(`Path=${base}`);
      expect(attributes).not.toContain("Secure");
    },
  );

  test("the URLs of a new sandbox point to the proxy", async () => {
    const response = await send("POST", "/sandboxes", { env });
    expect(response.status).toBe(201);
    const made = await response.json<Record<string, string>>();
    const location = seen(response.headers.get("location")).replace(/\/$/, "");
    expect(location).toBe(`https://pets.example/shop/sandboxes/${made["name"]}`);
    expect(made).toMatchObject({ url: `${location}/v2`, petstore3Url: `${location}/api/v3`, page: `${location}/` });
  });

  test("redirects and pages point to the proxy", async () => {
    const headers = { accept: "text/html" };
    const home = await send("GET", "/", { headers, env });
    expect(seen(home.headers.get("location"))).toBe("https://pets.example/shop/docs/");
    const missing = await send("GET", "/nowhere", { headers, env });
    expect(await missing.text()).toMatch(/href="(?:https:\/\/pets\.example)?\/shop\/docs\/"/);
  });
});

test("without PUBLIC_URL, the request's URL is used, and X-Forwarded-* is ignored", async () => {
  const headers = {
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    "x-forwarded-prefix": "/evil",
    forwarded: "host=evil.example;proto=https",
  };
  const document = await send("GET", "http://inner.example:8080/v2/openapi.json", { headers });
  expect(await document.json()).toMatchObject({ servers: [{ url: "http://inner.example:8080/v2" }] });
  const made = await send("POST", "/sandboxes", { headers });
  expect((await made.json<{ url: string }>()).url).toMatch(/^http:\/\/petstore\.test\/sandboxes\//);
  const logout = await send("GET", "/v2/user/logout", { headers });
  expect(logout.headers.get("set-cookie")).not.toContain("Secure");
});

/** Calls the Worker directly, because the runtime cannot send a request to most of these hosts. */
const sendTo = async (method: string, url: string, init: Init = {}) => send(method, url, { env: {}, ...init });

describe("a host", () => {
  test.each(["a_b.", "a-1.b:65535", "127.0.0.1:8080", "[::1]:8787"])(
    "of letters, digits, dots, hyphens, and underscores works everywhere, and so does an IPv6 address: %s",
    async (host) => {
      const origin = `http://${host}`;
      for (const [base, document] of [
        ["/v2", "openapi.json"],
        ["/api/v3", "openapi.json"],
        ["/v2", "swagger.json"],
      ] as const) {
        const response = await sendTo("GET", `${origin}${base}/${document}`);
        const shown = await response.json<{ servers?: { url: string }[]; host?: string }>();
        if (document === "swagger.json") expect(shown.host).toBe(host);
        else expect(shown.servers).toEqual([{ url: `${origin}${base}` }]);
      }
      for (const base of ["/v2", "/api/v3"]) {
        const text = await (await sendTo("GET", `${origin}${base}/openapi.yaml`)).text();
        const { servers } = parse(text) as { servers: { url: string }[] };
        expect(servers).toEqual([{ url: `${origin}${base}` }]);
      }
      const path = sandbox();
      const created = await sendTo("POST", `${origin}${path}/v2/pet`, { json: { name: "Rex", photoUrls: [] } });
      expect(created.status).toBe(200);
      expect(created.headers.get("content-location")).toMatch(new RegExp(`^${path}/v2/pet/\\d+$`));
      const place = await (await sendTo("GET", `${origin}${path}`)).json();
      expect(place).toMatchObject({ url: `${origin}${path}/v2` });
      const made = await sendTo("POST", `${origin}/sandboxes`);
      expect(made.status).toBe(201);
      expect(made.headers.get("location")).toMatch(new RegExp("^http://[^/]+/sandboxes/[\\w-]+$"));
      expect((await sendTo("GET", `${origin}${path}/v2/openapi.json`)).status).toBe(200);
    },
  );

  test.each(["a~b", "a!b", "a'b", "a&b", "*a", "a$b(c),d;e=f+g", 'a"b', "a`b", "a{b}"])(
    "%s returns 400",
    async (host) => {
      const path = sandbox();
      for (const to of [
        "/v2/openapi.json",
        "/v2/store/inventory",
        "/",
        "/health",
        "/sandboxes/",
        `${path}/v2/store/inventory`,
      ]) {
        const response = await sendTo("GET", `http://${host}${to}`, { documented: false });
        expect(await response.json()).toEqual({
          code: 400,
          type: "error",
          message: "Invalid host",
          errors: [
            {
              path: "Host",
              message:
                "must have only letters, digits, hyphens, dots, and underscores, or be an IPv6 address in brackets",
            },
          ],
        });
      }
      // A request line can have another host than the header.
      const headers = { Host: "localhost" };
      expect((await sendTo("GET", `http://${host}/health`, { headers, documented: false })).status).toBe(400);
      expect((await sendTo("GET", path)).status).toBe(404);
    },
  );

  // The runtime builds the URL from the header and the path, so the URL alone looks valid.
  test.each(["a/b", "a?b", "a#b", "a@b", "a b", "a:b", "[a]b", "a%zz", "a%41b", "a:99999", "a.1", "[:::]", ""])(
    "header that is not a host returns 400: %s",
    async (host) => {
      // A valid host, which the Worker remembers.
      expect((await sendTo("GET", "http://localhost/health")).status).toBe(200);
      for (const to of ["/health", "/v2/store/inventory", "/sandboxes/", `${sandbox()}/v2/store/inventory`]) {
        const response = await sendTo("GET", `http://localhost${to}`, { headers: { Host: host }, documented: false });
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ message: "Invalid host" });
      }
    },
  );

  test("is escaped in pages", async () => {
    const PUBLIC_URL = "https://pets.example/a'b&amp=c;d";
    const page = await send("GET", "/nowhere", { headers: { accept: "text/html" }, env: { PUBLIC_URL } });
    expect(await page.text()).toContain('href="/a&#39;b&#38;amp=c;d/docs/"');
  });
});
