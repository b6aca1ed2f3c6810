import * as v from "valibot";
import { Id, Integer, MAX_ITEMS, NewId, SingleValue, Text, boundedArray, plainObject } from "../http/schemas.ts";

/** Paths of other operations, and path segments that URLs drop: users with these names could not be looked up. */
const RESERVED = ["login", "logout", "createWithArray", "createWithList", ".", ".."];

const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`;
/** White space, a visible character, and anything but control characters. */
const VISIBLE = new RegExp(String.raw`^[^\S${CONTROL}]*[^\s${CONTROL}][^${CONTROL}]*$`);

export const Username = v.pipe(
  Text,
  v.maxCodePoints(128, "must have at most 128 characters"),
  v.regex(VISIBLE, "must not be blank or have control characters"),
  v.notValues(RESERVED, "is reserved"),
);

/** An empty password, which some clients send for an unset field, is the same as no password. */
const Password = v.pipe(
  Text,
  v.transform((password) => password || null),
);

const fields = {
  username: v.nullish(Username, null),
  firstName: v.nullish(Text, null),
  lastName: v.nullish(Text, null),
  email: v.nullish(Text, null),
  password: v.nullish(Password, null),
  phone: v.nullish(Text, null),
  userStatus: v.nullish(Integer, null),
};

/** A user in a body. Absent fields are `null`, as in its row. */
export const NewUser = plainObject({ id: NewId, ...fields });
export type NewUser = v.InferOutput<typeof NewUser>;

export const User = v.object({ id: Id, ...fields });
export type User = v.InferOutput<typeof User>;

export const NewUsers = boundedArray(NewUser, MAX_ITEMS, "users", "an array of users");

/** A parameter of the login. A missing or invalid value becomes "", so that all failed logins get the same response. */
const Credential = v.fallback(v.pipe(SingleValue, Text), "");

/** The query of the login. */
export const credentials = { username: Credential, password: Credential };
