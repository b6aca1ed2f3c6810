import { describe, expect, test } from "vitest";
import { interfaces } from "../../src/routes.ts";
import { send } from "../client.ts";
import { clientWith, createPet, createUser } from "../fixtures.ts";
import { STORED, exchange, operations, prepare } from "../operations.ts";
import { words } from "../spellings.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Every path of both interfaces, with the methods that it answers. */
const paths = interfaces.flatMap(({ basePath, routes: table }) =>
  [...Map.groupBy(table, ({ path }) => path)].map(([path, found]) => {
    const methods: readonly string[] = found.flatMap(({ method }) =>
      method === "GET" ? [method, "HEAD"] : [method],
    );
    return {
      basePath,
      path: path.replace(/:\w+Id/, "1").replace(":username", "somebody"),
      methods,
      others: METHODS.filter((method) => !methods.includes(method)),
    };
  }),
);

const methodsOf = (header: string | null) => (header ?? "").split(", ").toSorted();

describe("a path", () => {
  test.each(operations)(
    "may end with a slash, and with a query that nothing reads: $method $route of $basePath §1.1.3",
    async ({ name, operation }) => {
      const { request } = await prepare(name);
      const [path = "", query = ""] = request.path.split("?");
      const broken = operation.query ? "" : "%ZZ";
      const unread = `unknown=1&__proto__=x&Status=lost&a[b]=%F0%9F%90%B6&=${broken}`;
      const longer = { ...request, path: `${path}/?${query}&${unread}` };
      expect((await exchange(send, longer)).status).toBe(200);
    },
  );

  test.each([
    ...words(" / /pets /Pet /pet/1/photos /store /store/orders /store/inventory/sold"),
    ...words("/store/inventory// /user/a/b /v2/pet/1"),
  ])("that is unknown is 404: /v2%s §1.1.4", async (path) => {
    const { status, json } = await send("GET", path);
    expect(status).toBe(404);
    expect(json).toEqual({ code: 404, type: "error", message: "Not found" });
  });

  test("that is unknown is 404 for every method §1.1.4", async () => {
    for (const { basePath } of interfaces) {
      for (const method of [...METHODS, "OPTIONS"]) {
        expect((await send(method, "/nowhere", { basePath })).status).toBe(404);
      }
    }
  });

  describe("outside the interface", () => {
    const OUTSIDE = words(
      "/../ /../pet/1 /../v1/pet/1 /../V2/pet/1 /../nowhere /../api /../api/v3x /../v3/pet/1",
    );
    const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

    test.each(OUTSIDE)("tells a browser where the page is: /v2%s §1.6 §API9", async (path) => {
      const answer = await send("GET", path, { headers: { Accept: BROWSER } });
      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(answer.headers.get("vary")).toBe("Accept");
      expect(answer.text).toContain('href="/docs/">');
    });

    test.each(OUTSIDE)(
      "tells a program so by a Link beside the error: /v2%s §1.6 §API9",
      async (path) => {
        const programs = [{ Accept: "*/*" }, { Accept: "application/json" }, {}];
        for (const headers of [...programs, { Accept: "text/html;q=0, */*" }]) {
          const answer = await send("GET", path, { headers });
          expect(answer.status).toBe(404);
          expect(answer.json).toEqual({ code: 404, type: "error", message: "Not found" });
          expect(answer.headers.get("link")).toBe('</docs/>; rel="help"');
          expect(answer.headers.get("vary")).toBe("Accept");
        }
      },
    );

    test.each(["", "/", "/../api/v3", "/../api/v3/"])(
      "leads a browser to the page: /v2%s §1.6",
      async (path) => {
        const answer = await send("GET", path, { headers: { Accept: BROWSER } });
        expect([answer.status, answer.headers.get("location")]).toEqual([302, "/docs/"]);
        expect((await send("GET", path)).status).toBe(404);
      },
    );

    test("begins where no operation could be: below a base path a browser gets JSON", async () => {
      for (const path of ["/nowhere", "/../api/v3/nowhere"]) {
        const answer = await send("GET", path, { headers: { Accept: BROWSER } });
        expect(answer.json).toEqual({ code: 404, type: "error", message: "Not found" });
        expect(answer.headers.get("link")).toBeNull();
      }
    });
  });
});

describe("a method", () => {
  const refused = paths.flatMap(({ others, ...each }) =>
    others.map((method) => ({ ...each, method })),
  );
  test.each(refused)(
    "that a path does not have is 405 with Allow: $method $path of $basePath §1.2.1 §API5 §V4.1",
    async ({ method, basePath, path, methods }) => {
      const { status, headers, text } = await send(method, path, { basePath });
      expect(status).toBe(405);
      expect(methodsOf(headers.get("allow"))).toEqual([...methods, "OPTIONS"].toSorted());
      const body = { code: 405, type: "error", message: "Method not allowed" };
      expect(text).toBe(method === "HEAD" ? "" : JSON.stringify(body));
    },
  );
});

test("HEAD is answered as GET is, without the body §1.2.3 §3.13.1", async () => {
  await send("POST", "/store/order", { json: { id: 9 } });
  const readable = [
    (await createPet()).path,
    (await createUser()).path,
    (await STORED.image()).path,
    ...words("/pet/abc /pet/987654321 /pet/findByStatus?status=available /pet/findByTags /nowhere"),
    ...words("/store/inventory /store/order/9 /store/order/11 /user/%20 /user/login /user/logout"),
  ];
  for (const { basePath } of interfaces) {
    for (const path of readable) {
      const get = await send("GET", path, { basePath });
      const head = await send("HEAD", path, { basePath });
      expect([head.status, head.text]).toEqual([get.status, ""]);
      for (const header of words("content-type etag cache-control set-cookie accept-ranges")) {
        expect(head.headers.get(header)).toBe(get.headers.get(header));
      }
    }
  }
});

describe("OPTIONS", () => {
  test.each(paths)(
    "says what is allowed, also to a browser's preflight: $path of $basePath §1.2.4 §1.2.5 §V3.5",
    async ({ basePath, path, methods }) => {
      const { status, headers, text } = await send("OPTIONS", path, { basePath });
      expect([status, text]).toEqual([204, ""]);
      expect(methodsOf(headers.get("allow"))).toEqual([...methods, "OPTIONS"].toSorted());
      expect(headers.get("access-control-allow-methods")).toBeNull();

      const asked = "api_key,authorization,content-type,if-match";
      const preflight = await send("OPTIONS", path, {
        basePath,
        headers: {
          Origin: "https://shop.example",
          "Access-Control-Request-Method": methods[0] ?? "",
          "Access-Control-Request-Headers": asked,
        },
      });
      const header = (name: string) => preflight.headers.get(`access-control-${name}`);
      expect(preflight.status).toBe(204);
      expect(header("allow-origin")).toBe("*");
      expect(header("allow-credentials")).toBeNull();
      expect(methodsOf(header("allow-methods"))).toEqual(expect.arrayContaining([...methods]));
      expect(header("allow-headers")).toBe(asked);
      expect(Number(header("max-age"))).toBeGreaterThan(0);
      expect(preflight.headers.get("vary")).toContain("Access-Control-Request-Headers");
    },
  );

  test.each([
    ...paths.map(({ basePath, path }) => ({ basePath, path, status: 204 })),
    ...interfaces.map(({ basePath }) => ({ basePath, path: "/nowhere", status: 404 })),
  ])(
    "is not counted and needs no store and no setting: $status $path of $basePath §1.2.4 §6.7.4",
    async ({ basePath, path, status }) => {
      const asked: string[] = [];
      const broken = new Proxy(
        {},
        {
          get: (_, name) => {
            asked.push(String(name));
            throw new Error("a store is down");
          },
        },
      ) as never;
      const down = { DB: broken, SESSIONS: broken, IMAGES: broken, LOGINS: broken };
      const preflight = {
        basePath,
        headers: { Origin: "https://shop.example", "Access-Control-Request-Method": "GET" },
      };
      for (const client of [
        clientWith({ ...down, REQUESTS: broken }),
        clientWith({ REQUESTS: { limit: async () => ({ success: false }) } }),
        clientWith({ PASSWORD_KEY: undefined }),
      ]) {
        const answer = await client("OPTIONS", path, preflight);
        expect(answer.status).toBe(status);
        expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      }
      expect(asked).toEqual([]);
    },
  );

  test("of a path with an invalid id is answered like any other §1.2.4", async () => {
    expect((await send("OPTIONS", "/pet/abc")).status).toBe(204);
  });
});
