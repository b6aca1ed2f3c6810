import { env, exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { documentsOf } from "../../scripts/openapi/documents.ts";
import { documents } from "../../src/assets/documents.ts";
import { SANDBOX_NAME_RULE } from "../../src/http/base-path.ts";
import { createWorker } from "../../src/worker.ts";
import { PNG, upload } from "../images.ts";
import { CountingLimit } from "../limiters.ts";
import { ORIGIN, ask, askWith, makeStore } from "./raw.ts";
import { sendOutside } from "./store.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const browse = async (path: string, method = "GET") => ask(path, { Accept: BROWSER }, method);

describe("the page of a store", () => {
  test("is what a browser gets, with and without a slash, with a policy of its own", async () => {
    const store = await makeStore();
    for (const path of [`/stores/${store}`, `/stores/${store}/`, "/stores", "/stores/"]) {
      const { status, headers, body } = await browse(path);
      await body?.cancel();
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(headers.get("vary")).toBe("Accept");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
    }
  });

  test("is the same for a store that does not exist, and makes none", async () => {
    const path = `/stores/${crypto.randomUUID()}`;
    const page = await browse(`${path}/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<!doctype html>");
    expect((await ask(path)).status).toBe(404);
  });

  test("is for browsers: others get the store as JSON", async () => {
    const store = await makeStore();
    for (const Accept of ["", "*/*", "application/json", "text/html;q=0, */*"]) {
      for (const path of [`/stores/${store}`, `/stores/${store}/`]) {
        const response = await ask(path, { Accept });
        expect(await response.json()).toMatchObject({ store, pets: 0, orders: 0, users: 0 });
      }
    }
    const other = await ask("/stores");
    expect([other.status, other.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  test("is at the store's own path alone", async () => {
    const store = await makeStore();
    for (const path of ["data", "requests", "faults", "v2/store/inventory"]) {
      const response = await browse(`/stores/${store}/${path}`);
      expect(response.headers.get("content-type")).toBe("application/json");
      await response.body?.cancel();
    }
    for (const path of ["/stores/short/", `/stores/${store}/page`]) {
      const response = await browse(path);
      expect(response.status).toBe(404);
      await response.body?.cancel();
    }
  });

  test("tells a browser the rule for names, in the style of the pages, and a program as JSON", async () => {
    const page = await browse("/stores/short/");
    expect([page.status, page.headers.get("content-type")]).toEqual([
      404,
      "text/html; charset=utf-8",
    ]);
    expect(page.headers.get("vary")).toBe("Accept");
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    const text = (await page.text()).replaceAll(/\s+/g, " ");
    for (const part of [
      SANDBOX_NAME_RULE,
      'href="/docs/"',
      'href="/stores/"',
      'href="/docs/page.css"',
    ]) {
      expect(text).toContain(part);
    }
    const program = await ask("/stores/short/");
    expect(program.headers.get("vary")).toBe("Accept");
    expect(await program.json()).toMatchObject({
      errors: [{ path: "store", message: SANDBOX_NAME_RULE }],
    });
  });

  test("has no body for HEAD", async () => {
    const { status, body, headers } = await browse("/stores/", "HEAD");
    expect([status, body, headers.get("content-type")]).toEqual([
      200,
      null,
      "text/html; charset=utf-8",
    ]);
  });
});

// workerd warns about text whose type is that of YAML.
const textOf = async ({ body }: Response) => new Response(body).text();

async function read(url: string, headers: Record<string, string> = {}) {
  const response = await exports.default.fetch(new Request(url, { headers }));
  expect(response.status).toBe(200);
  const text = await textOf(response);
  return { headers: response.headers, document: parse(text) as unknown, text };
}

describe("the documents", () => {
  const store = crypto.randomUUID();
  const paths = documents
    .filter(({ path }) => !path.startsWith("/openapi."))
    .flatMap(({ path: file }) => [
      { kind: "open" as const, file, base: "" },
      { kind: "sandbox" as const, file, base: `/stores/${store}` },
    ])
    .map((each) => ({ ...each, path: each.base + each.file }));

  test.each(paths)("are those of the store: $kind, $file §9.4", async ({ kind, file, path }) => {
    const { headers, document, text } = await read(ORIGIN + path);
    const isJson = file.endsWith(".json");
    expect(headers.get("content-type")).toBe(`application/${isJson ? "json" : "yaml"}`);
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(headers.get("etag")).toBeNull();
    const made = documentsOf(kind)[file.slice(1).replace(".yaml", ".json")] ?? "";
    const facts = {
      "{origin}": ORIGIN,
      "{host}": "petstore.test",
      "{scheme}": "http",
      "{store}": store,
    };
    const expected = Object.entries(facts).reduce(
      (so, [word, fact]) => so.replaceAll(word, fact),
      made,
    );
    expect(document).toEqual(JSON.parse(expected));
    expect(text.startsWith("{")).toBe(isJson);
  });

  // The text is made in the same way for every document.
  const inJson = paths.filter(({ file }) => file.endsWith(".json"));
  const ofV2 = paths.filter(({ file }) => file === "/v2/openapi.json");

  test.each(inJson)(
    "name the origin of the request's own URL, whatever a header says: $kind, $file §9.9",
    async ({ file, base, path }) => {
      for (const origin of ["https://pets.example", "http://[::1]:8788"]) {
        const { document, text } = await read(origin + path, {
          "X-Forwarded-Host": "evil.example",
          "X-Forwarded-Proto": "gopher",
          Forwarded: "host=evil.example;proto=gopher",
        });
        const basePath = base + file.slice(0, file.lastIndexOf("/"));
        const { host, protocol } = new URL(origin);
        expect(document).toMatchObject(
          file.includes("/swagger.")
            ? {
                host,
                schemes: [protocol.slice(0, -1)],
                basePath,
                securityDefinitions: {
                  petstore_auth: { authorizationUrl: `${origin}${basePath}/user/login` },
                },
              }
            : { servers: [{ url: `${origin}${basePath}` }] },
        );
        expect(text.replaceAll(basePath, "")).not.toMatch(
          /\/v2|localhost|evil|\{(?:store|origin|host|scheme)\}/,
        );
      }
    },
  );

  // workerd refuses such a host before the Worker sees it.
  test.each(paths)("hold no host that ends a string: $kind, $file §9.9", async ({ path }) => {
    const request = new Request(`http://a"b'{store}$&${path}`);
    const text = await textOf(await createWorker().fetch(request, env));
    expect(parse(text)).toBeInstanceOf(Object);
    expect(text).toContain(`http://a%22b'%7Bstore%7D%24%26${path.slice(0, path.lastIndexOf("/"))}`);
  });

  test.each(ofV2)(
    "have the methods of any path, and make no store: $kind, $file §9.7",
    async ({ path }) => {
      const allow = "GET, HEAD, OPTIONS";
      const [head, other, preflight] = [
        await ask(path, {}, "HEAD"),
        await askWith("POST", path, "x".repeat(3_000_000)),
        await ask(path, { "Access-Control-Request-Method": "GET" }, "OPTIONS"),
      ];
      expect([head.status, await head.text()]).toEqual([200, ""]);
      expect([other.status, other.headers.get("allow")]).toEqual([405, allow]);
      expect(await other.json()).toMatchObject({ code: 405, message: "Method not allowed" });
      expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
        204,
        allow,
      ]);
      expect((await ask(`/stores/${store}`)).status).toBe(404);
    },
  );

  test("are of the interface only", async () => {
    for (const path of ["/stores/short/v2/openapi.json", "/stores/openapi.json"]) {
      expect((await ask(path)).status).toBe(404);
    }
  });

  test.each(["/openapi.json", "/openapi.yaml"])(
    "of /v2 are also at the root of the service and of a sandbox: %s §9.7",
    async (file) => {
      for (const root of ["", `/stores/${store}`]) {
        const { headers, text } = await read(ORIGIN + root + file);
        const same = await read(`${ORIGIN}${root}/v2${file}`);
        expect([headers.get("content-type"), text]).toEqual([
          same.headers.get("content-type"),
          same.text,
        ]);
      }
    },
  );

  test.each([...ofV2, { kind: "sandbox", file: "its page", path: `/stores/${store}/` }])(
    "and pages count as requests: $kind, $file §6.7.1 §9.7",
    async ({ path }) => {
      const REQUESTS = new CountingLimit(0);
      const answer = await sendOutside({ REQUESTS })("GET", path, { headers: { Accept: BROWSER } });
      expect(answer.status).toBe(429);
    },
  );
});

describe("the picture of a pet", () => {
  test("can be looked at without a request to the interface", async () => {
    const store = await makeStore();
    const base = `/stores/${store}`;
    await askWith("POST", `${base}/v2/pet`, { id: 7, name: "Rex", photoUrls: "rex.png" });
    await exports.default.fetch(`${ORIGIN}${base}/v2/pet/7/uploadImage`, {
      method: "POST",
      ...upload(),
    });
    const pet = (await (await ask(`${base}/v2/pet/7`)).json()) as { photoUrls: string };
    const url = pet.photoUrls.split(",").at(-1) ?? "";
    const requests = async () => (await ask(`${base}/requests`)).json();
    await expect.poll(requests).toHaveLength(3);
    const image = await ask(url.replace("/v2/", "/"));
    expect(image.headers.get("content-type")).toBe("image/png");
    expect(new Uint8Array(await image.arrayBuffer())).toEqual(PNG);
    expect(await requests()).toHaveLength(3);
  });
});
