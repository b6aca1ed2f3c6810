import type { Database } from "../db/client.ts";
import type { Bound } from "../db/statement.ts";
import type { Session, SessionSpace } from "../services.ts";

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
export const sessionsIn = (db: Database): SessionSpace => ({
  async get(key) {
    const [row] = await db.readLatest(sessionByKey(key));
    // `put` wrote it.
    return row && (JSON.parse(row.value) as Session);
  },
  async put(key, session) {
    await db.write(insertSession(key, session), { repeatable: false });
  },
  async delete(key) {
    await db.write(removeSession(key), { repeatable: true });
  },
});
