import { Hono } from "hono";
import type { AppEnv } from "../env.ts";
import { ApiError } from "../errors.ts";
import { changeUser, logIn, logOut, noStore, removeUser, shownUser, signUp } from "../account.ts";
import { authenticated, themselves } from "../middleware/auth.ts";
import { conditional, preconditions, setETag } from "../middleware/conditions.ts";
import { json, largeBody, param, query, smallBody } from "../middleware/validate.ts";
import { operation } from "../operation.ts";
import { LoginParameter } from "../schemas.ts";
import { findUser, userOf } from "../user/queries.ts";
import { NewUser, NewUsers, Username } from "../user/schemas.ts";
import { VALIDATION_EXCEPTION, invalidBody } from "./answers.ts";

const INVALID_USERNAME = [400, "Invalid username supplied"] as const;
const BAD_REQUEST = [400, "bad request"] as const;
const WRONG = [400, "Invalid username/password supplied"] as const;
const NOT_FOUND = [404, "User not found"] as const;
const NOT_FOUND_TO_UPDATE = [404, "user not found"] as const;
const newUser = json(NewUser, invalidBody);
const newUsers = json(NewUsers, invalidBody);
const credentials = query({ username: LoginParameter, password: LoginParameter }, WRONG);
const byName = param({ username: Username }, INVALID_USERNAME);
const changes = json(NewUser, (errors) =>
  errors.some(({ path }) => path === "body") ? BAD_REQUEST : VALIDATION_EXCEPTION,
);

/** The operations on users, below `/api/v3/user`. */
export const userRoutes = new Hono<AppEnv>()
  .use(noStore)
  .post("/", operation("createUser"), smallBody, newUser, async (c) => {
    const user = c.req.valid("json");
    const [row] = await signUp(c, user);
    if (!row) throw new Error("signing up one user gave no row");
    setETag(c, row);
    return c.json(userOf({ ...user, id: row.id }));
  })
  .post("/createWithList", operation("createUsersWithListInput"), largeBody, newUsers, async (c) => {
    const sent = c.req.valid("json");
    const rows = await signUp(c, sent);
    return c.json(sent.map((user, at) => userOf({ ...user, id: rows[at]?.id ?? 0 })));
  })
  .get("/login", operation("loginUser"), credentials, async (c) => {
    const token = await logIn(c, c.req.valid("query"), "/api/v3", WRONG);
    return c.json(`Logged in user session: ${token}`);
  })
  .get("/logout", operation("logoutUser"), async (c) => {
    await logOut(c, "/api/v3");
    return c.text("User logged out");
  })
  .get("/:username", operation("getUserByName"), authenticated, byName, themselves, conditional, async (c) => {
    const row = await findUser(c.var.db, c.req.valid("param").username);
    if (!row) throw new ApiError(NOT_FOUND);
    setETag(c, row);
    return c.json(await shownUser(c, row));
  })
  .put(
    "/:username",
    operation("updateUser"),
    authenticated,
    param({ username: Username }, BAD_REQUEST),
    preconditions,
    smallBody,
    changes,
    themselves,
    async (c) => {
      const { username } = c.req.valid("param");
      const row = await changeUser(c, username, c.req.valid("json"), NOT_FOUND_TO_UPDATE);
      setETag(c, row);
      return c.json(await shownUser(c, row));
    },
  )
  .delete("/:username", operation("deleteUser"), authenticated, byName, preconditions, themselves, async (c) => {
    const { username } = c.req.valid("param");
    await removeUser(c, username, NOT_FOUND);
    return c.body(null);
  });
