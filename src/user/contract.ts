import * as v from "valibot";
import { operation } from "../http/operation.ts";
import type { Operation } from "../http/operation.ts";
import {
  ApiResponse,
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

/** What the operations on one user have. */
const onUser = {
  access: "owner",
  params: v.object({ username: Username }),
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
  body: { schema: NewUser, invalid: 400 },
  success: ApiResponse,
  noStore: true,
  idempotent: true,
  errors: NEW_USER_ERRORS,
});

/** Swagger Petstore has this operation under two names. */
const createUsers = (id: string) =>
  operation({
    id,
    access: "anyone",
    body: {
      schema: NewUsers,
      maxBytes: MAX_USERS_BYTES,
      maxValues: MAX_USERS_VALUES,
      invalid: 400,
    },
    success: ApiResponse,
    noStore: true,
    idempotent: true,
    errors: NEW_USER_ERRORS,
  });

export const createUsersWithArrayInput = createUsers("createUsersWithArrayInput");
export const createUsersWithListInput = createUsers("createUsersWithListInput");

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
  success: ApiResponse,
  noStore: true,
  errors: { 400: "Invalid username/password supplied" },
});

export const logoutUser = operation({
  id: "logoutUser",
  access: "anyone",
  withoutDatabase: true,
  success: ApiResponse,
  noStore: true,
  errors: {},
});

export const getUserByName = operation({
  ...onUser,
  id: "getUserByName",
  success: User,
  etag: true,
});

export const updateUser = operation({
  ...onUser,
  id: "updateUser",
  body: { schema: NewUser, invalid: 400 },
  success: ApiResponse,
  errors: { ...onUser.errors, ...NEW_USER_ERRORS },
});

export const deleteUser = operation({ ...onUser, id: "deleteUser", success: ApiResponse });
