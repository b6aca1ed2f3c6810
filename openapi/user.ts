import { done, parameter, ref } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { usernameSchema } from "./schemas.ts";

const NEW_USER = {
  username: "ada",
  firstName: "Ada",
  lastName: "Byron",
  email: "ada@pets.example",
  password: "correct horse",
  phone: "+44 20 7946 0000",
  userStatus: 0,
};
const USER = { id: 1, ...NEW_USER };
const CHANGE = { phone: "+44 20 7946 0001" };
const TOKEN = "bmljZSB0cnksIGJ1dCBub3QgYSByZWFsIHRva2VuISE";

const shown = (example: object) => ({
  schema: ref("User"),
  headers: ["ETag"] as const,
  example,
});

const username = parameter("username", "Case-sensitive.", usernameSchema, NEW_USER.username);
const TEXT = { type: "string" } as const;

const INVALID = { 400: "Invalid user supplied" };
const TAKEN = { 409: "Duplicate user" };
const NOT_FOUND = { 400: "Invalid username supplied", 404: "User not found" };
const CHANGED = { 412: "Precondition failed" };

/** All examples can be created, one after the other. */
const newUsers = (...usernames: readonly string[]) => ({
  schema: "NewUsers",
  example: usernames.map((name) => ({ username: name, password: NEW_USER.password })),
});
const OF_USERS = {
  description: "Creates all of the users, or none.",
  success: done("ok"),
  errors: { ...INVALID, ...TAKEN },
  petstore3: { success: { example: [USER] } },
} as const;

const SESSION_HEADERS = ["Set-Cookie", "X-Expires-After", "X-Rate-Limit"] as const;

export const userOperations: Readonly<Record<string, Operation>> = {
  createUser: {
    at: "POST /user",
    summary: "Create a user",
    body: { schema: "NewUser", example: NEW_USER },
    success: done("1"),
    errors: { ...INVALID, ...TAKEN },
    petstore3: { success: shown(USER) },
  },
  createUsersWithArrayInput: {
    at: "POST /user/createWithArray",
    summary: "Create users from an array",
    body: newUsers("grace", "alan"),
    ...OF_USERS,
  },
  createUsersWithListInput: {
    at: "POST /user/createWithList",
    summary: "Create users from a list",
    body: newUsers("barbara", "edsger"),
    ...OF_USERS,
  },
  loginUser: {
    at: "GET /user/login",
    summary: "Log a user in",
    description:
      "The message has the token of the session. Send it as `Authorization: Bearer <token>` or as the cookie.",
    parameters: [
      parameter("username", "Username.", TEXT, NEW_USER.username, { in: "query" }),
      parameter("password", "Password, in clear text.", TEXT, NEW_USER.password, { in: "query" }),
    ],
    success: done(`logged in user session:${TOKEN}`, SESSION_HEADERS),
    errors: { 400: "Invalid username/password supplied" },
    petstore3: {
      success: { example: `Logged in user session: ${TOKEN}`, headers: SESSION_HEADERS },
    },
  },
  logoutUser: {
    at: "GET /user/logout",
    summary: "Log the current user out",
    description: "Ends the sessions of the request and clears the cookie. Without a session, nothing happens.",
    access: "session",
    success: done("ok", ["Set-Cookie"]),
    errors: {},
    petstore3: { success: { example: "User logged out", headers: ["Set-Cookie"] } },
  },
  getUserByName: {
    at: "GET /user/{username}",
    summary: "Find a user by username",
    access: "owner",
    parameters: [username],
    success: shown(USER),
    errors: NOT_FOUND,
  },
  updateUser: {
    at: "PUT /user/{username}",
    summary: "Update members of a user",
    description: "Absent members keep their values. Another username renames the user.",
    access: "owner",
    parameters: [username],
    body: { schema: "NewUser", example: CHANGE },
    success: done("1"),
    errors: { ...INVALID, 404: "User not found", ...TAKEN, ...CHANGED },
    petstore3: { success: shown({ ...USER, ...CHANGE }) },
  },
  deleteUser: {
    at: "DELETE /user/{username}",
    summary: "Delete a user",
    access: "owner",
    parameters: [username],
    success: done("ada"),
    errors: { ...NOT_FOUND, ...CHANGED },
    petstore3: { success: {} },
  },
};
