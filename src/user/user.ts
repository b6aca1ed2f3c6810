import * as v from "valibot";
import {
  BoundedArray,
  Id,
  Integer,
  JsonObject,
  NewId,
  Text,
  expected,
  optionalMember,
} from "../http/schemas.ts";

const MAX_USERNAME = 128;

// Nobody could look up a user with such a name. The first four are paths of other operations (interface §5.1), and URLs
// drop the last two (RFC 3986 §5.2.4).
const UNREACHABLE = ["login", "logout", "createWithArray", "createWithList", ".", ".."];

const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`;

export const Username = v.pipe(
  Text,
  v.check((name) => name.trim() !== "", "must not be empty or only white space"),
  v.maxCodePoints(MAX_USERNAME, `must have at most ${MAX_USERNAME} characters`),
  v.check((name) => !/\p{Cc}/u.test(name), "must not have control characters"),
  v.notValues(UNREACHABLE, "is reserved"),
  v.metadata({
    minLength: 1,
    maxLength: MAX_USERNAME,
    // Neither only white space nor control characters.
    pattern: String.raw`^[^\S${CONTROL}]*[^\s${CONTROL}][^${CONTROL}]*$`,
  }),
);

/** Clients send an empty password for one that nobody set. It is the same as none (interface §5.5). */
const Password = v.pipe(
  Text,
  v.transform((password) => password || undefined),
);

const userMembers = {
  username: optionalMember(Username),
  firstName: optionalMember(Text),
  lastName: optionalMember(Text),
  email: optionalMember(Text),
  password: optionalMember(Password),
  phone: optionalMember(Text),
  userStatus: optionalMember(Integer),
};

export const User = JsonObject({ id: Id, ...userMembers });
export type User = v.InferOutput<typeof User>;

export const NewUser = JsonObject({ id: NewId, ...userMembers });
export type NewUser = v.InferOutput<typeof NewUser>;

/** The largest number of users that one request creates (interface §2.4). */
const MAX_USERS = 100;

export const NewUsers = BoundedArray(NewUser, MAX_USERS, "users", expected("an array of users"));

/** A password as it is stored, and the random id that it is bound to. */
export interface Credential {
  /** `null` if there is no password. Then nobody can log in. */
  readonly sealedPassword: string | null;
  readonly credentialId: string;
}

/** A user as it is stored: the password is sealed. */
export interface StoredUser {
  readonly user: Omit<User, "password">;
  readonly credential: Credential;
  readonly version: number;
}

/** A new user with its password sealed. */
export interface SealedUser {
  readonly user: NewUser;
  readonly credential: Credential;
}
