import { beforeEach, expect, test } from "vitest";
import { send } from "../client.ts";
import {
  UNAVAILABLE,
  captureFaults,
  createUser,
  expectUnavailable,
  logIn,
  outcome,
  uniqueName,
} from "../fixtures.ts";
import { database } from "../engine.ts";

// The faults that these tests cause are logged, as they should be.
beforeEach(() => {
  captureFaults();
});

interface Row {
  readonly id: number;
  readonly sealedPassword: string | null;
  readonly credentialId: string;
}

async function rowOf(id: number): Promise<Row> {
  const row = await database.prepare("SELECT * FROM users WHERE id = ?").bind(id).first<Row>();
  if (row === null) throw new Error(`no user ${id}`);
  return row;
}

async function setSealedPassword(id: number, sealed: string | null): Promise<void> {
  await database
    .prepare("UPDATE users SET sealedPassword = ?, version = version + 1 WHERE id = ?")
    .bind(sealed, id)
    .run();
}

test("no table holds a password in clear or merely encoded §5.5.2 §R2 §V14.2", async () => {
  const passwords = ["first-clear-password", "second-clear-password"] as const;
  const { path, shown } = await createUser({ password: passwords[0] });
  await send("PUT", path, { json: { password: passwords[1] } });
  const other = { username: uniqueName("many"), password: passwords[0] };
  await send("POST", "/user/createWithList", { json: [other] });
  expect((await logIn(shown.username, passwords[1])).status).toBe(200);
  expect((await logIn(other.username, passwords[0])).status).toBe(200);
  const { results: tables } = await database
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    )
    .all<{ name: string }>();
  expect(tables.map(({ name }) => name)).toContain("users");
  for (const { name } of tables) {
    const { results } = await database.prepare(`SELECT * FROM "${name}"`).all();
    for (const password of passwords) {
      const bytes = new TextEncoder().encode(password);
      for (const text of [password, bytes.toBase64().slice(0, 20), bytes.toHex()]) {
        expect(JSON.stringify(results)).not.toContain(text);
      }
    }
  }
});

test("the same password is sealed differently each time §5.5.2 §V11.3", async () => {
  const { id, path } = await createUser({ password: "secret" });
  const other = await createUser({ password: "secret" });
  const first = (await rowOf(id)).sealedPassword;
  expect((await rowOf(other.id)).sealedPassword).not.toBe(first);
  await send("PUT", path, { json: { password: "secret" } });
  expect((await rowOf(id)).sealedPassword).not.toBe(first);
});

test.each([{ password: "ann's password" }, {}])(
  "a sealed password that was moved to another user opens for nobody: to one with %j §5.5.3 §API10 §V11.3",
  async (members) => {
    const ann = await createUser(members);
    const eve = await createUser({ password: "eve's password" });
    await setSealedPassword(ann.id, (await rowOf(eve.id)).sealedPassword);
    expectUnavailable(await send("GET", ann.path));
    for (const password of ["ann's password", "eve's password"]) {
      const login = await logIn(ann.shown.username, password);
      expectUnavailable(login);
      expect(login.headers.get("set-cookie")).toBeNull();
    }
    expect((await send("GET", eve.path)).json).toEqual(eve.shown);
  },
);

test.each(["", "AAAA", "not base64!", "A".repeat(64)])(
  "a sealed password that was replaced by %j is 503 §API10",
  async (sealed) => {
    const { id, path } = await createUser({ password: "secret" });
    await setSealedPassword(id, sealed);
    expect(outcome(await send("GET", path))).toEqual(UNAVAILABLE);
  },
);

test("a user whose sealed password does not open gets another by an update", async () => {
  const { id, path, shown } = await createUser({ password: "secret" });
  await setSealedPassword(id, "AAAA");
  await send("PUT", path, { json: { password: "new" } });
  expect((await send("GET", path)).json).toEqual({ ...shown, password: "new" });
});

test.each<object>([
  {},
  { firstName: "Ann" },
  { username: "keeps-its-credential-id" },
  { password: null },
  { password: "" },
  { userStatus: 1, email: "ann@pets.example" },
])("the update %j keeps the credential id and the sealed password", async (json) => {
  const { id, path } = await createUser({ password: "secret" });
  const { sealedPassword, credentialId } = await rowOf(id);
  expect((await send("PUT", path, { json })).status).toBe(200);
  expect(await rowOf(id)).toMatchObject({ sealedPassword, credentialId });
});

test("accounts have credential ids of their own, one created again under its old id too §5.5.3 §V11.5", async () => {
  const { id, path, shown } = await createUser({ password: "secret" });
  const before = (await rowOf(id)).credentialId;
  await send("DELETE", path);
  await createUser(shown);
  expect((await rowOf(id)).credentialId).not.toBe(before);
});
