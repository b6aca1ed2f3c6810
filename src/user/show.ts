import type { PasswordKeys } from "../platform/settings.ts";
import type { Services } from "../services.ts";
import { openPassword } from "./passwords.ts";
import type { NewUser, StoredUser, User } from "./user.ts";

/** The user with the password in clear, as the specification returns it (interface §5.5). */
export async function revealUser(
  { user: { phone, userStatus, ...user }, credential }: StoredUser,
  keys: PasswordKeys,
): Promise<User> {
  const password = await openPassword(keys, credential);
  return { ...user, password, phone, userStatus };
}

/** The user as a look-up shows it: with the password, unless access is protected (interface §6.4). */
export async function showUser(stored: StoredUser, { settings }: Services): Promise<User> {
  return settings.isProtected ? stored.user : revealUser(stored, settings.passwordKeys);
}

/** A new user as a look-up shows it. */
export function showNewUser(
  { id, password, phone, userStatus, ...names }: NewUser,
  { settings }: Services,
): NewUser {
  return { id, ...names, ...(!settings.isProtected && { password }), phone, userStatus };
}
