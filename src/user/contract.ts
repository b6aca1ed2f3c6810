import * as v from "valibot";
import { operation } from "../http/operation.ts";
import type { Operation } from "../http/operation.ts";
import { ApiResponse, SingleParameter, apiResponse } from "../http/schemas.ts";
import { showUser } from "./show.ts";
import { NewUser, NewUsers, User, Username } from "./user.ts";
import type { StoredUser } from "./user.ts";

/** The largest body with an array of users, in bytes (interface §2.3). */
const MAX_USERS_BYTES = 256 * 1024;

/** The most values of a body with an array of users. It leaves room for as many unknown members as known ones. */
const MAX_USERS_VALUES = 2000;

/** What the operations on one user have. */
const onUser = {
  access: "owner",
  params: v.object({ username: Username }),
  noStore: true,
  errors: {
    invalidParameter: [400, "Invalid username supplied"],
    forbidden: [403, "Forbidden"],
    missing: [404, "User not found"],
    changed: [412, "User does not meet the precondition"],
  },
} as const satisfies Partial<Operation>;

const INVALID_USER = [400, "Invalid user supplied"] as const;

const NEW_USER_ERRORS = {
  malformed: INVALID_USER,
  invalid: INVALID_USER,
  taken: [409, "Duplicate user"],
} as const;

export const createUser = operation({
  id: "createUser",
  access: "anyone",
  body: { schema: NewUser },
  success: ApiResponse,
  show: ({ id }: NewUser) => apiResponse(String(id)),
  noStore: true,
  idempotent: true,
  errors: NEW_USER_ERRORS,
});

/** Swagger Petstore has this operation under two names. */
const createUsers = (id: string) =>
  operation({
    id,
    access: "anyone",
    body: { schema: NewUsers, maxBytes: MAX_USERS_BYTES, maxValues: MAX_USERS_VALUES },
    success: ApiResponse,
    show: () => apiResponse("ok"),
    noStore: true,
    idempotent: true,
    errors: NEW_USER_ERRORS,
  });

export const createUsersWithArrayInput = createUsers("createUsersWithArrayInput");
export const createUsersWithListInput = createUsers("createUsersWithListInput");

const WRONG = [400, "Invalid username/password supplied"] as const;

export const loginUser = operation({
  id: "loginUser",
  access: "anyone",
  // A missing value becomes an empty one, which is checked like a wrong one: both get the same answer in the same time. No
  // user has an empty username.
  query: v.fallback(
    v.object({
      username: SingleParameter(v.string()),
      password: SingleParameter(v.pipe(v.string(), v.nonEmpty())),
    }),
    { username: "", password: "" },
  ),
  success: ApiResponse,
  show: (token: string) => apiResponse(`logged in user session:${token}`),
  noStore: true,
  errors: { invalidParameter: WRONG, wrong: WRONG },
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
  show: showUser,
  etag: true,
});

export const updateUser = operation({
  ...onUser,
  id: "updateUser",
  body: { schema: NewUser },
  success: ApiResponse,
  show: ({ user }: StoredUser) => apiResponse(String(user.id)),
  errors: { ...onUser.errors, ...NEW_USER_ERRORS, invalidParameter: INVALID_USER },
});

export const deleteUser = operation({ ...onUser, id: "deleteUser", success: ApiResponse });
