import { clientAddress } from "../http/address.ts";
import { fail } from "../http/handler.ts";
import type { Call } from "../http/handler.ts";
import { implement } from "../http/implement.ts";
import type { Operation } from "../http/operation.ts";
import { enforce } from "../http/rate-limit.ts";
import { apiResponse, sameContent } from "../http/schemas.ts";
import type { Settings } from "../platform/settings.ts";
import type { Principal } from "../services.ts";
import * as contract from "./contract.ts";
import { isPassword, resealPassword, sealPassword, sealUsers } from "./passwords.ts";
import * as queries from "./queries.ts";
import { beginSession, endSessions, presentedTokens, sessionCookie } from "./sessions.ts";
import type { NewUser, StoredUser } from "./user.ts";

/** The members that no two users share. */
const UNIQUE = ["id", "username"] as const;
const DUPLICATE = "is a duplicate: another user has it";

/** The credential that the account must still have. Another account may have its name by now. */
function credentialOf(principal: Principal | undefined): string | null {
  return principal?.kind === "user" ? principal.credentialId : null;
}

/** Whether the body equals the stored user, password included. */
async function isSame(
  { user, credential }: StoredUser,
  { id = user.id, password, ...members }: NewUser,
  { passwordKeys }: Settings,
): Promise<boolean> {
  // Do the same work, whether the other members are equal or not.
  const isRight = await isPassword(passwordKeys, credential, password ?? "");
  const isSamePassword = password === undefined ? credential.sealedPassword === null : isRight;
  return isSamePassword && sameContent(user, { id, ...members });
}

/** Counts a login. @throws ApiError 429 if there were too many */
async function limitLogins(
  { logins, loginsPerUser, headers }: Pick<Call<Operation>, "logins" | "loginsPerUser" | "headers">,
  username: string,
): Promise<void> {
  await enforce(logins, `${username} ${clientAddress(headers)}`);
  // After the first limit, so that no single address can use up the attempts that all addresses share.
  await enforce(loginsPerUser, username);
}

/** Whether the caller is a user with another name. Without a look-up, the answer does not reveal which users exist. */
function isAnother(principal: Principal | undefined, username: string): boolean {
  return principal?.kind === "user" && principal.username !== username;
}

/** The success for a new user. */
const created = (
  sent: NewUser,
  { id, version }: { readonly id: number; readonly version: number },
) => ({ body: { ...sent, id }, version });

export const createUser = implement(
  contract.createUser,
  async (call) => {
    const { body, db, settings } = call;
    const credential = await sealPassword(settings.passwordKeys, body.password);
    const result = await queries.insertUser(db, body, credential);
    if ("id" in result) return created(body, result);
    const [present, another] = result.present;
    if (present && !another) {
      const { id, username = String(id) } = present.user;
      // The answer reveals whether the password is right, so the request counts as a login.
      await limitLogins(call, username);
      // The same content again is a retry; other content must never overwrite.
      if (await isSame(present, body, settings)) {
        return created(body, { id, version: present.version });
      }
    }
    const isTaken = (member: (typeof UNIQUE)[number]) =>
      result.present.some(
        ({ user }) => body[member] !== undefined && user[member] === body[member],
      );
    const errors = UNIQUE.filter(isTaken).map((path) => ({ path, message: DUPLICATE }));
    return fail("taken", errors);
  },
  { creates: "users", answer: ({ body }, given) => created(body, given) },
);

/** The success for new users. @param generated the ids of those without one, in order */
const allCreated = (users: readonly NewUser[], generated: readonly number[]) => {
  const ids = generated.values();
  return { body: users.map((user) => ({ ...user, id: user.id ?? ids.next().value })) };
};

/** Swagger Petstore has this operation under two names. */
const createUsers = (operation: typeof contract.createUsersWithArrayInput) =>
  implement(
    operation,
    async ({ body, db, headers, countRequest, settings }) => {
      if (settings.isProtected) {
        // The request itself counted for the first user (interface §6.7.7).
        for (const _ of body.slice(1)) await countRequest(clientAddress(headers));
      }
      const sealed = await sealUsers(settings.passwordKeys, body);
      const generated = await queries.insertUsers(db, sealed);
      if (generated) return allCreated(body, generated);
      const stored = await queries.findTaken(db, body);
      const errors = UNIQUE.flatMap((member) => {
        const taken = new Set(stored.map((user) => user[member]));
        return body.flatMap(({ [member]: value }, index) => {
          if (value === undefined) return [];
          const isTaken = taken.has(value);
          taken.add(value);
          return isTaken ? [{ path: `${index}.${member}`, message: DUPLICATE }] : [];
        });
      });
      return fail("taken", errors);
    },
    { creates: null, answer: ({ body }, ids) => allCreated(body, ids) },
  );

export const createUsersWithArrayInput = createUsers(contract.createUsersWithArrayInput);
export const createUsersWithListInput = createUsers(contract.createUsersWithListInput);

export const loginUser = implement(contract.loginUser, async (call) => {
  const { db, sessions, settings, now, report } = call;
  const { username, password } = call.query;
  await limitLogins(call, username);
  const stored = await queries.findUserNow(db, username);
  const proven = await isPassword(settings.passwordKeys, stored?.credential, password);
  if (!stored || !proven) return fail("wrong");
  // A fault does not fail the login.
  const resealed = await resealPassword(settings.passwordKeys, stored.credential, password);
  if (resealed) await queries.resealUser(db, stored, resealed).catch(report);
  const { token, expiresAt } = await beginSession(
    sessions,
    { userId: stored.user.id, credentialId: stored.credential.credentialId },
    now(),
    settings.sessionSeconds,
  );
  return {
    body: token,
    headers: {
      "Set-Cookie": sessionCookie(token, settings.sessionSeconds, call),
      "X-Expires-After": new Date(expiresAt).toISOString(),
      "X-Rate-Limit": String(settings.requestsPerMinute),
    },
  };
});

export const logoutUser = implement(contract.logoutUser, async ({ sessions, ...call }) => {
  await endSessions(sessions, presentedTokens(call));
  return { body: apiResponse("ok"), headers: { "Set-Cookie": sessionCookie("", 0, call) } };
});

/** The success that shows a stored user. */
const success = (stored: StoredUser) => ({ body: stored, version: stored.version });

export const getUserByName = implement(
  contract.getUserByName,
  async ({ params, db, principal }) => {
    if (isAnother(principal, params.username)) return fail("forbidden");
    const stored = await queries.findUser(db, params.username);
    const required = credentialOf(principal);
    if (!stored || (required !== null && required !== stored.credential.credentialId)) {
      return fail("missing");
    }
    return success(stored);
  },
);

export const updateUser = implement(contract.updateUser, async (call) => {
  const { params, body, db, settings, preconditions, principal } = call;
  if (isAnother(principal, params.username)) return fail("forbidden");
  const credential = await sealPassword(settings.passwordKeys, body.password);
  const updated = await queries.updateUser(db, params.username, body, credential, {
    versions: preconditions,
    requiredId: credentialOf(principal),
  });
  if (updated === "taken") return fail("taken", [{ path: "username", message: DUPLICATE }]);
  return typeof updated === "string" ? fail(updated) : success(updated);
});

export const deleteUser = implement(
  contract.deleteUser,
  async ({ params, db, preconditions, principal }) => {
    if (isAnother(principal, params.username)) return fail("forbidden");
    const deleted = await queries.deleteUser(db, params.username, {
      versions: preconditions,
      requiredId: credentialOf(principal),
    });
    if (typeof deleted === "string") return fail(deleted);
    return { body: apiResponse(params.username) };
  },
);
