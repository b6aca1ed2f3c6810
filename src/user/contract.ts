import * as v from "valibot";
import { operation } from "../http/operation.ts";
import type { Operation } from "../http/operation.ts";
import {
  apiSuccess,
  BoundedArray,
  Id,
  Integer,
  JsonObject,
  NewId,
  SingleParameter,
  Text,
  expected,
  hasAtMost,
  optionalMember,
  rule,
} from "../http/schemas.ts";

const MAX_USERNAME = 128;

// Nobody could look up a user with such a name. The first four are paths of other operations (interface §5.1), and URLs
// drop the last two (RFC 3986 §5.2.4).
const UNREACHABLE = ["login", "logout", "createWithArray", "createWithList", ".", ".."];

const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`;

export const Username = v.pipe(
  Text,
  rule((name) => name.trim() !== "", "must not be empty or only white space", { minLength: 1 }),
  rule((name) => hasAtMost(MAX_USERNAME, name), `must have at most ${MAX_USERNAME} characters`, {
    maxLength: MAX_USERNAME,
  }),
  rule((name) => !/\p{Cc}/u.test(name), "must not have control characters", {
    // The pattern includes the first rule, about white space.
    pattern: String.raw`^[^\S${CONTROL}]*[^\s${CONTROL}][^${CONTROL}]*$`,
  }),
  rule((name) => !UNREACHABLE.includes(name), "is reserved", { not: { enum: UNREACHABLE } }),
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

/** The largest body with an array of users, in bytes (interface §2.3). */
const MAX_USERS_BYTES = 256 * 1024;

/** Most values of a body with an array of users: as many unknown members as known ones. */
const MAX_USERS_VALUES = 2000;

export const NewUsers = BoundedArray(NewUser, MAX_USERS, "users", expected("an array of users"));

const newUserExample = {
  username: "ada",
  firstName: "Ada",
  lastName: "Byron",
  email: "ada@pets.example",
  password: "correct horse",
  phone: "+44 20 7946 0000",
  userStatus: 0,
};
const tokenExample = "bmljZSB0cnksIGJ1dCBub3QgYSByZWFsIHRva2VuISE";
const nameExample = { username: newUserExample.username };

/** What the operations on one user have. */
const onUser = {
  access: "owner",
  params: v.object({ username: Username }),
  examples: nameExample,
  noStore: true,
  errors: {
    400: "Invalid username supplied",
    403: "Forbidden",
    404: "User not found",
    412: "User does not meet the precondition",
  },
} as const satisfies Partial<Operation>;

const NEW_USER_ERRORS = { 400: "Invalid user supplied", 409: "Duplicate user" } as const;

export const createUser = operation({
  id: "createUser",
  access: "anyone",
  body: { schema: NewUser, invalid: 400, example: newUserExample },
  ...apiSuccess("1"),
  noStore: true,
  idempotent: true,
  errors: NEW_USER_ERRORS,
});

/** Swagger Petstore has this operation under two names. */
const createUsers = (id: string, ...usernames: readonly string[]) =>
  operation({
    id,
    access: "anyone",
    body: {
      schema: NewUsers,
      maxBytes: MAX_USERS_BYTES,
      maxValues: MAX_USERS_VALUES,
      invalid: 400,
      // These users differ from those of the other examples, so that each create succeeds after the others.
      example: usernames.map((username) => ({ username, password: newUserExample.password })),
    },
    ...apiSuccess("ok"),
    noStore: true,
    idempotent: true,
    errors: NEW_USER_ERRORS,
  });

export const createUsersWithArrayInput = createUsers("createUsersWithArrayInput", "grace", "alan");
export const createUsersWithListInput = createUsers(
  "createUsersWithListInput",
  "barbara",
  "edsger",
);

export const loginUser = operation({
  id: "loginUser",
  access: "anyone",
  // A missing value becomes an empty one and is checked like a wrong one, so that both get the same answer in the same
  // time. No user has an empty username.
  query: v.fallback(
    v.object({
      username: SingleParameter(v.string()),
      password: SingleParameter(v.pipe(v.string(), v.nonEmpty())),
    }),
    { username: "", password: "" },
  ),
  examples: { ...nameExample, password: newUserExample.password },
  ...apiSuccess(`logged in user session:${tokenExample}`),
  headers: {
    "Set-Cookie": {
      description: "The session's token. Browsers keep it for as long as the session lasts.",
      schema: { type: "string" },
      example: `session=${tokenExample}; HttpOnly; SameSite=Strict; Path=/v2; Max-Age=3600`,
    },
    "X-Expires-After": {
      description: "When the session ends (RFC 3339, UTC).",
      schema: { type: "string", format: "date-time" },
      example: "2026-11-21T10:30:00.000Z",
    },
    "X-Rate-Limit": {
      description: "Requests that one client may send in a minute.",
      schema: { type: "integer", minimum: 1 },
      example: 600,
    },
  },
  noStore: true,
  errors: { 400: "Invalid username/password supplied" },
});

export const logoutUser = operation({
  id: "logoutUser",
  access: "anyone",
  withoutDatabase: true,
  ...apiSuccess("ok"),
  headers: {
    "Set-Cookie": {
      description: "Clears the cookie.",
      schema: { type: "string" },
      example: "session=; HttpOnly; SameSite=Strict; Path=/v2; Max-Age=0",
    },
  },
  noStore: true,
  errors: {},
});

export const getUserByName = operation({
  ...onUser,
  id: "getUserByName",
  success: User,
  result: { id: 1, ...newUserExample },
  etag: true,
});

export const updateUser = operation({
  ...onUser,
  id: "updateUser",
  body: { schema: NewUser, invalid: 400, example: { phone: "+44 20 7946 0001" } },
  ...apiSuccess("1"),
  errors: { ...onUser.errors, ...NEW_USER_ERRORS },
});

export const deleteUser = operation({
  ...onUser,
  id: "deleteUser",
  ...apiSuccess("ada"),
});
