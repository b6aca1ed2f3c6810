import type { PasswordKeys } from "../platform/settings.ts";
import type { NewUser, User } from "./contract.ts";
import { openPassword, sealPassword } from "./passwords.ts";
import type { SealedUser, StoredUser } from "./queries.ts";

/** New users with their passwords sealed. */
export async function sealUsers(
  keys: PasswordKeys,
  users: readonly NewUser[],
): Promise<readonly SealedUser[]> {
  return Promise.all(
    users.map(async (user) => ({ user, credential: await sealPassword(keys, user.password) })),
  );
}

/** The user with the password in clear, as the specification returns it (interface §5.5). */
export async function revealUser(
  keys: PasswordKeys,
  { user: { phone, userStatus, ...user }, credential }: StoredUser,
): Promise<User> {
  return { ...user, password: await openPassword(keys, credential), phone, userStatus };
}
