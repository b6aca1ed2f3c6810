import { done, listOf, returns, says, type Parameters, type Text } from "./texts.ts";

export const NEW_USER = {
  username: "ada",
  firstName: "Ada",
  lastName: "Byron",
  email: "ada@pets.example",
  password: "correct horse",
  phone: "+44 20 7946 0000",
  userStatus: 0,
};
export const USER = { id: 1, ...NEW_USER };
const CHANGE = { phone: "+44 20 7946 0001" };
const TOKEN = "bmljZSB0cnksIGJ1dCBub3QgYSByZWFsIHRva2VuISE";
const LOGIN_HEADERS = ["Set-Cookie", "X-Expires-After", "X-Rate-Limit"] as const;

export const userParameters: Parameters = {
  username: ["Case-sensitive.", NEW_USER.username],
};

/** The usernames of all examples differ, so that the users can be created one after the other. */
const createUsers = (firstId: number, ...usernames: readonly string[]) => {
  const example = usernames.map((username) => ({ username, password: NEW_USER.password }));
  const users = example.map((user, index) => ({ id: firstId + index, ...user }));
  return {
    description: "Creates all of the users or none.",
    example,
    success: done("ok"),
    petstore3: { success: returns(listOf("User"), users) },
  };
};

export const userTexts = {
  createUser: {
    summary: "Create a user",
    example: NEW_USER,
    success: done("1"),
    petstore3: { success: returns("User", USER, "ETag") },
  },
  createUsersWithArrayInput: {
    summary: "Create users from an array",
    ...createUsers(2, "grace", "alan"),
  },
  createUsersWithListInput: {
    summary: "Create users from a list",
    ...createUsers(4, "barbara", "edsger"),
  },
  loginUser: {
    summary: "Log a user in",
    description: "The message contains the session token. Send it as `Authorization: Bearer <token>` or as the cookie.",
    parameters: {
      username: ["Username.", NEW_USER.username],
      password: ["Password, in plaintext.", NEW_USER.password],
    },
    session: "starts",
    success: done(`logged in user session:${TOKEN}`, ...LOGIN_HEADERS),
    petstore3: { success: returns({ type: "string" }, `Logged in user session: ${TOKEN}`, ...LOGIN_HEADERS) },
  },
  logoutUser: {
    summary: "Log the current user out",
    description: "Ends the sessions that the request presents and clears the cookie. Succeeds without a session, too.",
    session: "ends",
    success: done("ok", "Set-Cookie"),
    petstore3: { success: says("User logged out", "Set-Cookie") },
  },
  getUserByName: {
    summary: "Find a user by username",
    success: returns("User", USER, "ETag"),
  },
  updateUser: {
    summary: "Update fields of a user",
    description: "Absent fields keep their values. A new username renames the user.",
    example: CHANGE,
    success: done("1"),
    petstore3: { success: returns("User", { ...USER, ...CHANGE }, "ETag") },
  },
  deleteUser: {
    summary: "Delete a user",
    success: done("ada"),
    petstore3: { success: {} },
  },
} satisfies Readonly<Record<string, Text>>;
