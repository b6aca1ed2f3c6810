import { CHANGED, done, parameter, returns, type Operation } from "./operation.ts";
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

const username = parameter("username", "Case-sensitive.", usernameSchema, NEW_USER.username);
const TEXT = { type: "string" } as const;

const REFUSED = { 400: "Invalid user supplied", 409: "Duplicate user" };
const NOT_FOUND = { 400: "Invalid username supplied", 404: "User not found" };

/** The usernames of all examples differ, so that they can be created one after the other. */
const createUsers = (...usernames: readonly string[]) => ({
  description: "Creates all of the users, or none.",
  body: { schema: "NewUsers", example: usernames.map((name) => ({ username: name, password: NEW_USER.password })) },
  success: done("ok"),
  errors: REFUSED,
  petstore3: { success: { example: [USER] } },
});

export const userOperations: Readonly<Record<string, Operation>> = {
  createUser: {
    at: "POST /user",
    summary: "Create a user",
    body: { schema: "NewUser", example: NEW_USER },
    success: done("1"),
    errors: REFUSED,
    petstore3: { success: returns("User", USER, "ETag") },
  },
  createUsersWithArrayInput: {
    at: "POST /user/createWithArray",
    summary: "Create users from an array",
    ...createUsers("grace", "alan"),
  },
  createUsersWithListInput: {
    at: "POST /user/createWithList",
    summary: "Create users from a list",
    ...createUsers("barbara", "edsger"),
  },
  loginUser: {
    at: "GET /user/login",
    summary: "Log a user in",
    description:
      "The message has the token of the session. Send it as `Authorization: Bearer <token>` or as the cookie.",
    parameters: [
      { ...parameter("username", "Username.", TEXT, NEW_USER.username), in: "query" },
      { ...parameter("password", "Password, in clear text.", TEXT, NEW_USER.password), in: "query" },
    ],
    success: done(`logged in user session:${TOKEN}`, "Set-Cookie", "X-Expires-After", "X-Rate-Limit"),
    errors: { 400: "Invalid username/password supplied" },
    petstore3: { success: { example: `Logged in user session: ${TOKEN}` } },
  },
  logoutUser: {
    at: "GET /user/logout",
    summary: "Log the current user out",
    description: "Ends the sessions of the request and clears the cookie. Without a session, nothing happens.",
    access: "session",
    success: done("ok", "Set-Cookie"),
    petstore3: { success: { example: "User logged out" } },
  },
  getUserByName: {
    at: "GET /user/{username}",
    summary: "Find a user by username",
    access: "owner",
    parameters: [username],
    success: returns("User", USER, "ETag"),
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
    errors: { ...NOT_FOUND, ...REFUSED, ...CHANGED },
    petstore3: { success: returns("User", { ...USER, ...CHANGE }, "ETag") },
  },
  deleteUser: {
    at: "DELETE /user/{username}",
    summary: "Delete a user",
    access: "owner",
    parameters: [username],
    success: done("ada"),
    errors: { ...NOT_FOUND, ...CHANGED },
  },
};
