import * as v from "valibot";
import { Id, Integer, MAX_ITEMS, NewId, Once, Text, expected, objectOf } from "../http/schemas.ts";

/** Paths of other operations, and what URLs drop from a path: nobody could look up a user with such a name. */
const RESERVED = ["login", "logout", "createWithArray", "createWithList", ".", ".."];

const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`;
/** White space that is not a control character. Stated in full so that the pattern below takes linear time. */
const SPACE = String.raw` \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`;
const VISIBLE = new RegExp(`^[${SPACE}]*[^${SPACE}${CONTROL}][^${CONTROL}]*$`);

export const Username = v.pipe(
  Text,
  v.maxCodePoints(128, "must have at most 128 characters"),
  v.regex(VISIBLE, "must not be blank or have control characters"),
  v.notValues(RESERVED, "is reserved"),
);

/** An empty password, which some clients send for one that nobody set, is the same as none. */
const Password = v.pipe(
  Text,
  v.transform((password) => password || null),
);

const members = {
  username: v.nullish(Username, null),
  firstName: v.nullish(Text, null),
  lastName: v.nullish(Text, null),
  email: v.nullish(Text, null),
  password: v.nullish(Password, null),
  phone: v.nullish(Text, null),
  userStatus: v.nullish(Integer, null),
};

/** A user in a body. Absent members are `null`, as in its row. */
export const NewUser = objectOf({ id: NewId, ...members });
export type NewUser = v.InferOutput<typeof NewUser>;

export const User = v.object({ id: Id, ...members });
export type User = v.InferOutput<typeof User>;

/** An array of new users. The length is checked first. */
export const NewUsers = v.pipe(
  v.array(v.unknown(), expected("an array of users")),
  v.maxLength(MAX_ITEMS, `must have at most ${MAX_ITEMS} users`),
  v.array(NewUser),
);

/** A parameter of the login: "" if it is missing or wrong, so that all wrong logins get the same answer. */
const Credential = v.fallback(v.pipe(Once, Text), "");

/** The query of the login. */
export const credentials = { username: Credential, password: Credential };
