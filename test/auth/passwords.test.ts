import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { attemptLogin, createUser, getJson, send, uniqueName } from "../client.ts";

const [OLD, NEW] = [env.PASSWORD_KEY, new Uint8Array(32).fill(7).toBase64()];

afterEach(() => {
  vi.restoreAllMocks();
});

const rowOf = async (id: number) => env.DB.prepare("SELECT * FROM users WHERE id = ?").bind(id).first();

const logInWith = async (username: string, password: string, PASSWORD_KEY = OLD) =>
  attemptLogin({ username, password }, { env: { PASSWORD_KEY } });

describe("a password", () => {
  test("is not in any table, either as plain text or merely encoded", async () => {
    const password = "easy-to-find-password";
    const { username } = await createUser({ password });
    await send("POST", "/v2/user/createWithList", { json: [{ username: uniqueName("many"), password }] });
    await send("PUT", `/v2/user/${username}`, { json: { password: `${password}!` } });
    const { results } = await env.DB.prepare("SELECT * FROM users").all();
    const text = JSON.stringify(results);
    const bytes = new TextEncoder().encode(password);
    for (const form of [password, bytes.toBase64().slice(0, 20), bytes.toHex()]) {
      expect(text).not.toContain(form);
    }
  });

  test("is encrypted differently each time, and cannot be decrypted for another user", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const [ann, bob, eve] = [await createUser(), await createUser(), await createUser({ password: "eve's" })];
    expect((await rowOf(ann.id))?.["sealedPassword"]).not.toBe((await rowOf(bob.id))?.["sealedPassword"]);
    await env.DB.prepare("UPDATE users SET sealedPassword = ? WHERE id = ?")
      .bind((await rowOf(eve.id))?.["sealedPassword"], ann.id)
      .run();
    expect((await send("GET", `/v2/user/${ann.username}`)).status).toBe(503);
    expect((await logInWith(ann.username, "eve's")).status).toBe(503);
    expect((await logInWith(eve.username, "eve's")).status).toBe(200);
  });
});

test.each(["/v2", "/api/v3"])(
  "a password that no key opens is replaced; another fault fails PUT %s/user",
  async (base) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { username } = await createUser({ password: "old" });
    const json = { password: "new", firstName: "Ann" };
    const path = `${base}/user/${username}`;
    // No fault of the runtime can be had for real.
    const decrypt = vi.spyOn(crypto.subtle, "decrypt").mockRejectedValue(new TypeError("a bug"));
    const response = await send("PUT", path, { json, env: {} });
    expect(await response.json()).toMatchObject({ code: 500 });
    decrypt.mockRestore();
    const stored = await getJson(path);
    expect(stored).toMatchObject({ password: "old" });
    expect(stored).not.toHaveProperty("firstName");
    expect((await send("PUT", path, { json, env: { PASSWORD_KEY: NEW } })).status).toBe(200);
    expect((await logInWith(username, "new", NEW)).status).toBe(200);
  },
);

describe("PASSWORD_KEY", () => {
  test("can hold several keys: each decrypts, and the first encrypts", async () => {
    const old = await createUser({ password: "secret" });
    for (const keys of [OLD, `${OLD},${NEW}`, `${NEW},${OLD}`]) {
      expect((await logInWith(old.username, "secret", keys)).status).toBe(200);
      expect((await logInWith(old.username, "wrong", keys)).status).toBe(400);
    }
    const recent = await createUser({ password: "secret" }, { env: { PASSWORD_KEY: `${NEW},${OLD}` } });
    expect((await logInWith(recent.username, "secret", NEW)).status).toBe(200);
  });

  test("without the key that encrypted a password returns 503, and one log line says so without a secret", async () => {
    const user = await createUser({ password: "the secret" });
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const response = await send("GET", `/v2/user/${user.username}`, { env: { PASSWORD_KEY: NEW } });
    expect(await response.json()).toMatchObject({ code: 503 });
    expect(log).toHaveBeenCalledOnce();
    const line = log.mock.calls.flat().join(" ");
    expect(line).toContain("PASSWORD_KEY");
    for (const secret of [OLD, NEW, "the secret"]) expect(line).not.toContain(secret);
    expect((await logInWith(user.username, "the secret", NEW)).status).toBe(503);
  });
});
