import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { send as sendShared } from "../client.ts";
import { clientWith, logIn, tokenOf } from "../fixtures.ts";
import { upload } from "../images.ts";
import { localOf, newStore, sendOutside } from "./store.ts";

/** A store with a pet, a user, an image and a session, and another store that has only their names. */
async function victimAndThief() {
  const victim = newStore();
  const json = {
    pets: [{ id: 1, name: "Secret", photoUrls: [], tags: ["secret"], status: "sold" }],
    users: [{ id: 1, username: "ann", password: "secret" }],
  };
  await victim.manage("PUT", "/data", { json });
  await victim.send("POST", "/pet/1/uploadImage", upload());
  const login = await logIn("ann", "secret", victim.send);
  const { photoUrls } = (await victim.send("GET", "/pet/1")).json as { photoUrls: string[] };
  const thief = newStore();
  await thief.send("GET", "/store/inventory");
  return {
    victim,
    thief,
    login,
    token: tokenOf(login),
    image: photoUrls[0] ?? "",
    whole: (await victim.manage("GET", "/data")).json,
  };
}

/** The store that a path names by the rules of URLs alone. */
const leadsTo = (path: string, victim: string) =>
  new URL(path, "http://petstore.test").pathname.startsWith(`/stores/${victim}/v2/`);

describe("from one store", () => {
  /** Ways to write the path of a store that might be taken for another path. */
  const TRICKS: readonly (readonly [string, (thief: string, victim: string) => string])[] = [
    ["dots", (thief, victim) => `/stores/${thief}/../${victim}/v2`],
    ["dots below /v2", (thief, victim) => `/stores/${thief}/v2/../../${victim}/v2`],
    ["escaped dots", (thief, victim) => `/stores/${thief}/%2e%2e/${victim}/v2`],
    ["an escaped slash", (thief, victim) => `/stores/${thief}%2F..%2F${victim}/v2`],
    [
      "an escaped slash before the victim",
      (thief, victim) => `/stores/${thief}/v2/..%2F..%2F${victim}%2Fv2`,
    ],
    [
      "a slash that is escaped twice",
      (thief, victim) => `/stores/${thief}%252F..%252F${victim}/v2`,
    ],
    ["a backslash", (thief, victim) => `/stores/${thief}/v2\\..\\..\\${victim}/v2`],
    ["two slashes", (thief, victim) => `/stores/${thief}//${victim}/v2`],
    ["two slashes at the front", (_, victim) => `//stores/${victim}/v2`],
    ["a semicolon", (thief, victim) => `/stores/${thief};/stores/${victim}/v2`],
    ["a parameter", (thief, victim) => `/stores/${thief};${victim}/v2`],
    ["the victim within /v2", (thief, victim) => `/stores/${thief}/v2/stores/${victim}/v2`],
    [
      "the victim as a query",
      (thief, victim) => `/stores/${thief}/v2/pet/1?x=/stores/${victim}/v2`,
    ],
    ["the victim as a fragment", (thief, victim) => `/stores/${thief}/v2#/stores/${victim}/v2`],
    ["a trailing dot", (_, victim) => `/stores/${victim}./v2`],
    ["a trailing space", (_, victim) => `/stores/${victim}%20/v2`],
    ["a NUL", (_, victim) => `/stores/${victim}%00/v2`],
    ["upper case", (_, victim) => `/stores/${victim.toUpperCase()}/v2`],
    ["STORES", (_, victim) => `/STORES/${victim}/v2`],
    ["wide digits", (_, victim) => `/stores/${victim.replace(/\d/, "１")}/v2`],
    ["a wide hyphen", (_, victim) => `/stores/${victim.replace("-", "－")}/v2`],
    ["a soft hyphen", (_, victim) => `/stores/${victim}\u00AD/v2`],
    [
      "an escaped letter",
      (_, victim) => `/stores/%${victim.charCodeAt(0).toString(16)}${victim.slice(1)}/v2`,
    ],
    ["half of the name", (_, victim) => `/stores/${victim.slice(0, 18)}/v2`],
    ["a pattern of SQL", (_, victim) => `/stores/${victim.slice(0, -1)}_/v2`],
    ["a pattern of Hono", () => "/stores/:store{[\\w-]{16,64}}/v2"],
    ["/v2 in other case", (thief, victim) => `/stores/${thief}/V2/../../${victim}/V2`],
    ["what is no /v2", (_, victim) => `/stores/${victim}/v2x`],
  ];

  let both: Awaited<ReturnType<typeof victimAndThief>>;
  beforeAll(async () => {
    both = await victimAndThief();
  });

  test.each(TRICKS)(
    "no path reaches another that does not state its name: %s §10.0",
    async (_, trick) => {
      const { victim, thief, whole } = both;
      const base = trick(thief.name, victim.name);
      for (const [method, path] of [
        ["GET", "/pet/1"],
        ["GET", "/user/ann"],
        ["GET", "/pet/findByTags?tags=secret"],
        ["DELETE", "/pet/1"],
        ["DELETE", "/user/ann"],
      ] as const) {
        if (leadsTo(`http://petstore.test${base}${path}`, victim.name)) continue;
        const response = await exports.default.fetch(
          new Request(`http://petstore.test${base}${path}`, { method, redirect: "manual" }),
        );
        expect(await response.text()).not.toMatch(/secret/i);
      }
      expect((await victim.manage("GET", "/data")).json).toEqual(whole);
    },
  );

  test("dots lead where a client resolves them, and nowhere else", async () => {
    const { victim, thief } = await victimAndThief();
    const answer = await sendOutside()("GET", `/stores/${thief.name}/../${victim.name}/v2/pet/1`);
    expect(answer.json).toMatchObject({ name: "Secret" });
  });

  test("no image of another is shown by its own URL's name §10.0", async () => {
    const { victim, thief, image } = await victimAndThief();
    const path = image.replace(`/stores/${victim.name}/v2`, "");
    expect((await victim.send("GET", path)).status).toBe(200);
    await thief.send("POST", "/pet", { json: { id: 1, name: "Rex", photoUrls: [image] } });
    expect((await thief.send("GET", path)).status).toBe(404);
    expect((await sendShared("GET", path)).status).toBe(404);
    // Deleting a pet that names the image of another deletes no image.
    expect((await thief.send("DELETE", "/pet/1")).status).toBe(200);
    expect((await victim.send("GET", path)).status).toBe(200);
    for (const name of ["..", "../../x", `${victim.prefix}1/x.png`, encodeURIComponent(image)]) {
      const { status } = await thief.send("GET", `/pet/1/images/${encodeURIComponent(name)}`);
      expect(status).toBe(404);
    }
  });

  test("no session opens another, nor the shared one, nor is it ended there §10.2.3", async () => {
    const { victim, thief, token } = await victimAndThief();
    await thief.manage("PUT", "/data", {
      json: { users: [{ id: 1, username: "ann", password: "other" }] },
    });
    const headers = { Authorization: `Bearer ${token}`, Cookie: `session=${token}` };
    expect((await localOf(victim)("GET", "/user/ann", { headers })).status).toBe(200);
    expect((await localOf(thief)("GET", "/user/ann", { headers })).status).toBe(401);
    const shared = clientWith({ ACCESS: "protected" });
    expect((await shared("GET", "/user/ann", { headers })).status).toBe(401);

    await thief.send("GET", "/user/logout", { headers });
    await sendShared("GET", "/user/logout", { headers });
    expect((await localOf(victim)("GET", "/user/ann", { headers })).status).toBe(200);
    await victim.send("GET", "/user/logout", { headers });
    expect((await localOf(victim)("GET", "/user/ann", { headers })).status).toBe(401);
  });

  test("its links and its cookie lead to itself §10.1.1", async () => {
    const { victim, login, image } = await victimAndThief();
    const base = `/stores/${victim.name}/v2`;
    for (const { headers } of [login, await victim.send("GET", "/user/logout")]) {
      expect(headers.get("set-cookie")).toContain(`; Path=${base};`);
    }
    const json = { id: 2, name: "Rex", photoUrls: [], status: "sold" };
    const { headers } = await victim.send("POST", "/pet", { json });
    expect(headers.get("content-location")).toBe(`${base}/pet/2`);
    const page = await victim.send("GET", "/pet/findByStatus?status=sold&limit=1");
    expect(page.headers.get("link")).toBe(
      `<${base}/pet/findByStatus?status=sold&limit=1&after=1>; rel="next"`,
    );
    expect(image).toContain(`${base}/pet/1/images/`);
    expect((await sendOutside()("GET", image)).status).toBe(200);
  });
});
