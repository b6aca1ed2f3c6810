import { describe, expect, test } from "vitest";
import { attemptLogin, createPet, createUser, formOf, send, type ShownPet } from "../client.ts";

/** A proxy that strips `/shop`, as in docs/hosting.md. */
const env = { PUBLIC_URL: "https://pets.example/shop" };

/** Where an address, absolute or root-relative, leads a client that sees only the proxy. */
const seen = (address: string | null | undefined) => new URL(address ?? "missing:", "https://pets.example").href;

describe("behind a proxy with PUBLIC_URL", () => {
  test("the link of the next page leads through the proxy", async () => {
    for (const id of [9001, 9002]) await createPet({ id, status: "sold" });
    for (const base of ["/v2", "/api/v3"]) {
      const response = await send("GET", `${base}/pet/findByStatus?status=sold&limit=1&after=9000`, { env });
      const [, next] = /^<(.+)>; rel="next"$/.exec(response.headers.get("link") ?? "") ?? [];
      expect(seen(next)).toMatch(new RegExp(`^https://pets\\.example/shop${base}/pet/findByStatus\\?`));
    }
  });

  test("Content-Location and the URLs of images lead through the proxy", async () => {
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
    "the cookie of a login at %s is for the proxy's path, and Secure as its scheme says",
    async (base) => {
      const login = await attemptLogin(await createUser(), { base, env });
      const logout = await send("GET", `${base}/user/logout`, { env });
      for (const { headers } of [login, logout]) {
        const members = headers.get("set-cookie")?.split("; ");
        expect(members).toContain(`Path=/shop${base}`);
        expect(members).toContain("Secure");
      }
      const inClear = { PUBLIC_URL: "http://pets.example" };
      const plain = await send("GET", `https://petstore.test${base}/user/logout`, { env: inClear });
      const members = plain.headers.get("set-cookie")?.split("; ");
      expect(members).toContain(`Path=${base}`);
      expect(members).not.toContain("Secure");
    },
  );

  test("a new sandbox names the proxy", async () => {
    const response = await send("POST", "/sandboxes", { env });
    expect(response.status).toBe(201);
    const made = await response.json<Record<string, string>>();
    const location = seen(response.headers.get("location")).replace(/\/$/, "");
    expect(location).toBe(`https://pets.example/shop/sandboxes/${made["name"]}`);
    expect(made).toMatchObject({ url: `${location}/v2`, petstore3Url: `${location}/api/v3`, page: `${location}/` });
  });

  test("browsers are led through the proxy, too", async () => {
    const headers = { accept: "text/html" };
    const home = await send("GET", "/", { headers, env });
    expect(seen(home.headers.get("location"))).toBe("https://pets.example/shop/docs/");
    const missing = await send("GET", "/nowhere", { headers, env });
    expect(await missing.text()).toMatch(/href="(?:https:\/\/pets\.example)?\/shop\/docs\/"/);
  });
});

test("without PUBLIC_URL the address of the request counts, and X-Forwarded-* does not", async () => {
  const headers = {
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    "x-forwarded-prefix": "/evil",
    forwarded: "host=evil.example;proto=https",
  };
  const document = await send("GET", "http://inner.example:8080/v2/openapi.json", { headers });
  expect(await document.json()).toMatchObject({ servers: [{ url: "http://inner.example:8080/v2" }] });
  const sandbox = await send("POST", "/sandboxes", { headers });
  expect((await sandbox.json<{ url: string }>()).url).toMatch(/^http:\/\/petstore\.test\/sandboxes\//);
  const logout = await send("GET", "/v2/user/logout", { headers });
  expect(logout.headers.get("set-cookie")).not.toContain("Secure");
});
