import type { Engine, Run } from "../db/engine.ts";
import type { Bound } from "../db/statement.ts";
import type { Session, SessionSpace } from "../services.ts";

const READ: Run = { writes: false, repeatable: true, latest: true };
const WRITE: Run = { ...READ, writes: true };

const sessionByKey = (key: string): Bound<{ value: string }> => ({
  sql: `SELECT "value" FROM "sandbox_sessions" WHERE "key" = ?`,
  values: [key],
});

const insertSession = (key: string, session: Session): Bound<unknown> => ({
  sql: `INSERT INTO "sandbox_sessions" VALUES (?, ?, ?)`,
  values: [key, JSON.stringify(session), session.expiresAt],
});

/** Deletes the sessions that have expired. @param now milliseconds since the epoch */
export const pruneSessions = (now: number): Bound<unknown> => ({
  sql: `DELETE FROM "sandbox_sessions" WHERE "expiresAt" <= ?`,
  values: [now],
});

const removeSession = (key: string): Bound<unknown> => ({
  sql: `DELETE FROM "sandbox_sessions" WHERE "key" = ?`,
  values: [key],
});

/** Sessions in the database of a sandbox: exact everywhere at once, and gone with the sandbox. */
export const sessionsIn = (engine: Engine): SessionSpace => ({
  async get(key) {
    const [[row] = []] = (await engine.run([sessionByKey(key)], READ)) as { value: string }[][];
    return row && (JSON.parse(row.value) as Session);
  },
  async put(key, session) {
    await engine.run([insertSession(key, session)], WRITE);
  },
  async delete(key) {
    await engine.run([removeSession(key)], WRITE);
  },
});
