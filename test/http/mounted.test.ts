import { describe, expect, test } from "vitest";
import { clientWith, createUser, uniqueId } from "../fixtures.ts";
import type { Bindings } from "../fixtures.ts";
import { isSandbox, storeName } from "../engine.ts";

const pet = { name: "Rex", photoUrls: "rex.png", status: "sold" };

/** Sends to a Worker with this further base path. The store of the tests is at its `/v2`. */
const mountedAt = (basePath: string) =>
  clientWith(
    {
      LOCAL_BASE_PATH: basePath,
      ...(isSandbox && { LOCAL_STORE: storeName }),
    } as Bindings,
    { base: "" },
  );

describe.each(["/v1", "/my/api", "/api"])("the interface of /v2 at %s", (at) => {
  const send = mountedAt(at);

  test("has its operations, and is still at /v2 and /api/v3", async () => {
    const id = uniqueId();
    expect((await send("POST", `${at}/pet`, { json: { ...pet, id } })).status).toBe(200);
    for (const basePath of [at, "/v2", "/api/v3"]) {
      expect((await send("GET", `${basePath}/pet/${id}`)).json).toMatchObject({ id });
    }
    expect((await send("GET", `${at}x/pet/${id}`)).status).toBe(404);
    expect((await send("HEAD", `${at}/pet/${id}`)).text).toBe("");
  });

  test("has its base path in links and cookies", async () => {
    const [first, second] = [uniqueId(), uniqueId()].toSorted((a, b) => a - b);
    for (const id of [first, second]) {
      const { headers } = await send("POST", `${at}/pet`, { json: { ...pet, id } });
      expect(headers.get("content-location")).toBe(`${at}/pet/${id}`);
    }
    const list = await send("GET", `${at}/pet/findByStatus?status=sold&limit=1`);
    expect(list.headers.get("link")).toMatch(new RegExp(`^<${at}/pet/findByStatus\\?`));
    const { shown } = await createUser({ password: "secret" });
    const query = `username=${shown.username}&password=secret`;
    const login = await send("GET", `${at}/user/login?${query}`);
    expect(login.headers.get("set-cookie")).toContain(`; Path=${at}; `);
    expect((await send("GET", `/v2/user/login?${query}`)).headers.get("set-cookie")).toContain(
      "; Path=/v2; ",
    );
  });
});
