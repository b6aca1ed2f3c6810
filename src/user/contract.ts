import * as v from "valibot";
import { operation } from "../http/operation.ts";
import {
  ApiResponse,
  Id,
  Integer,
  NewId,
  SingleParameter,
  Text,
  hasAtMost,
  optionalMember,
} from "../http/schemas.ts";

const MAX_USERNAME = 128;

// A user of such a name could not be reached: other operations have the first four paths
// (CONTRACT §5), and URLs resolve the last two away (RFC 3986 §5.2.4).
const UNREACHABLE = new Set(["login", "logout", "createWithArray", "createWithList", ".", ".."]);

export const Username = v.pipe(
  Text,
  v.check((name) => name.trim() !== "", "must not be empty or only white space"),
  v.check((name) => hasAtMost(MAX_USERNAME, name), `must have at most ${MAX_USERNAME} characters`),
  v.check((name) => !/\p{Cc}/u.test(name), "must not have control characters"),
  v.check((name) => !UNREACHABLE.has(name), "is reserved"),
);

const userMembers = {
  username: optionalMember(Username),
  firstName: optionalMember(Text),
  lastName: optionalMember(Text),
  email: optionalMember(Text),
  password: optionalMember(Text),
  phone: optionalMember(Text),
  userStatus: optionalMember(Integer),
};

export const User = v.object({ id: Id, ...userMembers }, "must be an object");
export type User = v.InferOutput<typeof User>;

export const NewUser = v.object({ id: NewId, ...userMembers }, "must be an object");
export type NewUser = v.InferOutput<typeof NewUser>;

const UserPath = v.object({ username: Username });

export const createUser = operation({
  summary: "Create a user",
  body: { schema: NewUser, invalid: 400 },
  success: ApiResponse,
  noStore: true,
  errors: { 400: "Invalid user supplied", 409: "Duplicate user" },
});

export const loginUser = operation({
  summary: "Log a user in",
  // What is missing is tried like what is wrong, so that both get the same answer in the same time;
  // nobody's name is empty.
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
  summary: "Log the current user out",
  success: ApiResponse,
  noStore: true,
  errors: {},
});

export const getUserByName = operation({
  summary: "Find a user by username",
  params: UserPath,
  success: User,
  etag: true,
  noStore: true,
  errors: { 400: "Invalid username supplied", 404: "User not found" },
});

export const updateUser = operation({
  summary: "Update members of a user",
  params: UserPath,
  body: { schema: NewUser, invalid: 400 },
  success: ApiResponse,
  noStore: true,
  errors: {
    400: "Invalid user supplied",
    404: "User not found",
    409: "Duplicate user",
    412: "User was changed meanwhile",
  },
});

export const deleteUser = operation({
  summary: "Delete a user",
  params: UserPath,
  success: ApiResponse,
  noStore: true,
  errors: {
    400: "Invalid username supplied",
    404: "User not found",
    412: "User was changed meanwhile",
  },
});
