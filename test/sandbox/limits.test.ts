import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { attemptLogin, createPet, createUser, formOf, getJson, sandbox, send } from "../client.ts";
import { countFiles, objectOf } from "./sandboxes.ts";

/** About as large as a pet may be. */
const LARGE = { name: "x".repeat(3900), photoUrls: Array.from({ length: 3 }, () => "y".repeat(3900)) };

/** A full sandbox: the small pet 1, and large ones from the id 100. */
async function fullSandbox(): Promise<string> {
  const path = sandbox();
  await createPet({ id: 1, name: "Rex", status: "sold", tags: ["dog"] }, { base: `${path}/v2` });
  await runInDurableObject(objectOf(path), (_, { storage }) => {
    storage.sql.exec(
      `INSERT INTO pets (id, name, photoUrls)
       WITH RECURSIVE ids(id) AS (SELECT 100 UNION ALL SELECT id + 1 FROM ids WHERE id < 690)
       SELECT id, ?, ? FROM ids`,
      LARGE.name,
      JSON.stringify(LARGE.photoUrls),
    );
  });
  await fill(path);
  return path;
}

/** Adds pets until there is no room. */
async function fill(path: string): Promise<void> {
  let response = await send("POST", `${path}/v2/pet`, { json: LARGE });
  while (response.status === 200) response = await send("POST", `${path}/v2/pet`, { json: LARGE });
  expect(response.status).toBe(507);
  const message: unknown = expect.stringContaining("10 MB");
  expect(await response.json()).toMatchObject({ code: 507, type: "error", message });
}

test("a sandbox of 10 MB returns 507 for writes that add data, without partial writes, and can be emptied", async () => {
  const path = await fullSandbox();
  const before = await getJson<{ pets: number }>(path);
  // Each has 15.6 KB.
  expect(before.pets).toBeLessThan(640);
  const users = Array.from({ length: 60 }, () => ({ firstName: LARGE.name }));
  for (const [method, below, json] of [
    ["POST", "/v2/pet", { ...LARGE, status: "pending", tags: ["cat"] }],
    ["PUT", "/v2/pet", { ...LARGE, id: 1, status: "pending", tags: ["cat"] }],
    ["POST", "/v2/user/createWithList", users],
    ["POST", "/api/v3/user/createWithList", users],
  ] as const) {
    expect((await send(method, path + below, { json })).status).toBe(507);
  }
  expect(await getJson(path)).toEqual(before);
  const pet = await send("GET", `${path}/v2/pet/1`);
  expect(await pet.json()).toMatchObject({ name: "Rex", status: "sold", tags: ["dog"] });
  const inventory = await send("GET", `${path}/v2/store/inventory`);
  expect(await inventory.json()).toEqual({ available: 0, pending: 0, sold: 1 });
  expect(await getJson(`${path}/v2/pet/findByTags?tags=cat`)).toEqual([]);

  // Deletions and a reset make room again.
  for (let id = 100; id < 110; id++) {
    expect((await send("DELETE", `${path}/v2/pet/${id}`)).status).toBe(200);
  }
  expect((await send("POST", `${path}/v2/pet`, { json: LARGE })).status).toBe(200);
  await fill(path);
  expect((await send("PUT", `${path}/data`, { json: { data: "empty" } })).status).toBe(204);
  expect((await send("POST", `${path}/v2/pet`, { json: LARGE })).status).toBe(200);
});

test("the request log does not count toward the 10 MB", async () => {
  const path = sandbox();
  await createPet({}, { base: `${path}/v2` });
  await runInDurableObject(objectOf(path), (_, { storage }) => {
    for (let megabytes = 0; megabytes < 11; megabytes++) {
      storage.sql.exec("INSERT INTO sandbox_requests (request) VALUES (?)", "x".repeat(1_000_000));
    }
  });
  expect((await send("POST", `${path}/v2/pet`, { json: LARGE })).status).toBe(200);
});

/** Puts sessions of ann's into a sandbox until it is full. */
const fillWithSessions = async (path: string, expiresAt: number) =>
  runInDurableObject(objectOf(path), (_, { storage }) => {
    const session = JSON.stringify({ userId: 1, credentialId: "c", expiresAt, filling: "x".repeat(10_000) });
    for (let count = 0; count < 1050; count++) storage.kv.put(`session:${expiresAt}-${count}`, session);
  });

const countSessions = async (path: string) =>
  runInDurableObject(objectOf(path), (_, { storage }) => [...storage.kv.list({ prefix: "session:" })].length);

describe.each(["/v2", "/api/v3"])("sessions count toward the 10 MB: at %s", (base) => {
  const password = "secret";
  const log = async (path: string) => attemptLogin({ username: "ann", password }, { base: path + base });
  const add = async (path: string) => (await send("POST", `${path}${base}/pet`, { json: LARGE })).status;

  async function withAnn(expiresAt: number): Promise<string> {
    const path = sandbox();
    await createUser({ username: "ann", password }, { base: `${path}/v2` });
    await fillWithSessions(path, expiresAt);
    return path;
  }

  test("a login removes expired sessions, and only these, to make room", async () => {
    const path = await withAnn(Date.now() - 1);
    await runInDurableObject(objectOf(path), (_, { storage }) => {
      storage.kv.put("session:alive", JSON.stringify({ userId: 1, credentialId: "c", expiresAt: Date.now() + 60_000 }));
    });
    expect((await log(path)).status).toBe(200);
    expect(await countSessions(path)).toBe(2);
    expect(await add(path)).toBe(200);
  });

  test("a create removes expired sessions as well", async () => {
    const path = await withAnn(Date.now() - 1);
    expect(await add(path)).toBe(200);
    expect(await countSessions(path)).toBe(0);
  });

  test("a login returns 507 if no session has expired, and a wrong login 400", async () => {
    const path = await withAnn(Date.now() + 60_000);
    const response = await log(path);
    expect(response.status).toBe(507);
    const message: unknown = expect.stringContaining("10 MB");
    expect(await response.json()).toMatchObject({ code: 507, type: "error", message });
    for (const name of ["set-cookie", "x-expires-after", "x-rate-limit"])
      expect(response.headers.has(name)).toBe(false);
    expect(await countSessions(path)).toBe(1050);
    const wrong = await attemptLogin({ username: "ann", password: "wrong" }, { base: path + base });
    expect([wrong.status, await add(path)]).toEqual([400, 507]);
  });

  test("expired sessions stay while there is room", async () => {
    const path = sandbox();
    await createUser({ username: "ann", password }, { base: `${path}/v2` });
    await runInDurableObject(objectOf(path), (_, { storage }) => {
      storage.kv.put("session:expired", JSON.stringify({ userId: 1, credentialId: "c", expiresAt: 1 }));
    });
    expect((await log(path)).status).toBe(200);
    expect(await countSessions(path)).toBe(2);
  });
});

async function upload(path: string, id: number, bytes: number): Promise<number> {
  const body = formOf({ file: new Blob([new Uint8Array(bytes)]) });
  const response = await send("POST", `${path}/v2/pet/${id}/uploadImage`, { body });
  if (response.status === 507) expect(await response.text()).toMatch(bytes > 1 ? /50 MB/ : /100 files/);
  return response.status;
}

test("a sandbox has at most 100 files, even with concurrent uploads, and accepts more when there is room", async () => {
  const path = sandbox();
  const before = await countFiles();
  for (const id of [1, 2]) await createPet({ id, photoUrls: [] }, { base: `${path}/v2` });
  for (let file = 0; file < 98; file++) expect(await upload(path, 1 + (file % 2), 1)).toBe(200);
  const statuses = await Promise.all([1, 2, 1, 2].map(async (id) => upload(path, id, 1)));
  expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 200, 507, 507]);
  expect(await countFiles()).toBe(before + 100);

  expect((await send("DELETE", `${path}/v2/pet/1`)).status).toBe(200);
  await expect.poll(countFiles).toBeLessThan(before + 60);
  expect(await upload(path, 2, 1)).toBe(200);
  expect((await send("PUT", `${path}/data`, { json: { data: "empty" } })).status).toBe(204);
  await expect.poll(countFiles).toBe(before);
});

test("a sandbox has at most 50 MB of files, and accepts a file that just fits", async () => {
  const path = sandbox();
  await createPet({ id: 1, photoUrls: [] }, { base: `${path}/v2` });
  for (let file = 0; file < 10; file++) expect(await upload(path, 1, 4_999_990)).toBe(200);
  const show = async () => getJson(`${path}/v2/pet/1`);
  const [before, files] = [await show(), await countFiles()];
  expect(await upload(path, 1, 101)).toBe(507);
  expect([await show(), await countFiles()]).toEqual([before, files]);
  expect(await upload(path, 1, 100)).toBe(200);
  expect(await upload(path, 1, 2)).toBe(507);
});
