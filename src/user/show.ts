import type { PasswordKeys } from "../platform/settings.ts";
import type { Viewer } from "../http/operation.ts";
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

/**
 * Whether the viewer of a user sees the password (interface §6.4.5): where access is protected, only the user does, who
 * knows it already.
 */
const seesPassword = ({ principal, settings }: Viewer): boolean =>
  !settings.isProtected || principal?.kind === "user";

/** The user as a look-up shows it. Only its own user, in a session, or the API key can look it up. */
export async function showUser(stored: StoredUser, viewer: Viewer): Promise<User> {
  return seesPassword(viewer) ? revealUser(stored, viewer.settings.passwordKeys) : stored.user;
}

/** A new user as a look-up shows it. */
export function showNewUser(
  { id, password, phone, userStatus, ...names }: NewUser,
  viewer: Viewer,
): NewUser {
  return { id, ...names, ...(seesPassword(viewer) && { password }), phone, userStatus };
}
