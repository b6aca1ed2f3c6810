import { Hono } from "hono";
import { etag } from "hono/etag";
import type { AppEnv } from "../http/env.ts";
import {
  DUPLICATE,
  changeUser,
  logIn,
  logOut,
  noStore,
  ownUser,
  removeUser,
  sendUser,
  signUp,
  signUpAll,
} from "./handlers.ts";
import { FORBIDDEN, authenticated } from "../http/access.ts";
import { PRECONDITION_FAILED, preconditions, setETag } from "../http/etag.ts";
import { json } from "../http/body.ts";
import { largeBody, smallBody } from "../http/body-limit.ts";
import { param, query } from "../http/validate.ts";
import { operation } from "../http/operation.ts";
import { userOf } from "./queries.ts";
import { NewUser, NewUsers, Username, credentials } from "./schemas.ts";
import { INVALID_INPUT, VALIDATION_EXCEPTION } from "../http/petstore3.ts";

const INVALID_USERNAME = [400, "Invalid username supplied"] as const;
const BAD_REQUEST = [400, "bad request"] as const;
const WRONG = [400, "Invalid username/password supplied"] as const;
const NOT_FOUND = [404, "User not found"] as const;
const NOT_FOUND_TO_UPDATE = [404, "user not found"] as const;
const newUser = json(NewUser, VALIDATION_EXCEPTION, { body: INVALID_INPUT });
const users = json(NewUsers, VALIDATION_EXCEPTION, { body: INVALID_INPUT });
const login = query(credentials, WRONG);
const byName = param({ username: Username }, INVALID_USERNAME);
const oldName = param({ username: Username }, BAD_REQUEST);
const changes = json(NewUser, VALIDATION_EXCEPTION, { body: BAD_REQUEST });

/** The operations on users, below `/api/v3/user`. */
export const userRoutes = new Hono<AppEnv>()
  .use(noStore)
  .post("/", operation("createUser", DUPLICATE), smallBody, newUser, async (c) => {
    const user = c.req.valid("json");
    const row = await signUp(c, user);
    setETag(c, row);
    return c.json(userOf({ ...user, id: row.id }));
  })
  .post("/createWithList", operation("createUsersWithListInput", DUPLICATE), largeBody, users, async (c) => {
    const sent = c.req.valid("json");
    const rows = await signUpAll(c, sent);
    // The passwords are sealed in the rows.
    return c.json(rows.map((row, at) => userOf({ ...row, password: sent[at]?.password ?? null })));
  })
  .get("/login", operation("loginUser"), login, async (c) => {
    const token = await logIn(c, c.req.valid("query"), "/api/v3", WRONG);
    return c.json(`Logged in user session: ${token}`);
  })
  .get("/logout", operation("logoutUser"), async (c) => {
    await logOut(c, "/api/v3");
    return c.text("User logged out");
  })
  .get(
    "/:username",
    operation("getUserByName", FORBIDDEN, NOT_FOUND),
    authenticated,
    byName,
    preconditions,
    etag(),
    async (c) => {
      return sendUser(c, await ownUser(c, c.req.valid("param").username, NOT_FOUND));
    },
  )
  .put(
    "/:username",
    operation("updateUser", FORBIDDEN, NOT_FOUND_TO_UPDATE, DUPLICATE, PRECONDITION_FAILED),
    authenticated,
    oldName,
    smallBody,
    changes,
    preconditions,
    async (c) => {
      const { username } = c.req.valid("param");
      const row = await changeUser(c, username, c.req.valid("json"), NOT_FOUND_TO_UPDATE);
      return sendUser(c, row);
    },
  )
  .delete(
    "/:username",
    operation("deleteUser", FORBIDDEN, NOT_FOUND, PRECONDITION_FAILED),
    authenticated,
    byName,
    preconditions,
    async (c) => {
      const { username } = c.req.valid("param");
      await removeUser(c, username, NOT_FOUND);
      return c.body(null);
    },
  );
