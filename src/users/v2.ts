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
import { PRECONDITION_FAILED, preconditions } from "../http/etag.ts";
import { json } from "../http/body.ts";
import { largeBody, smallBody } from "../http/body-limit.ts";
import { param, query } from "../http/validate.ts";
import { operation } from "../http/operation.ts";
import { NewUser, NewUsers, Username, credentials } from "./schemas.ts";
import { apiResponse } from "../http/petstore2.ts";

const INVALID_USERNAME = [400, "Invalid username supplied"] as const;
const INVALID_USER = [400, "Invalid user supplied"] as const;
const WRONG = [400, "Invalid username/password supplied"] as const;
const NOT_FOUND = [404, "User not found"] as const;
const newUser = json(NewUser, INVALID_USER);
const users = json(NewUsers, INVALID_USER);
const login = query(credentials, WRONG);
const byName = param({ username: Username }, INVALID_USERNAME);
const oldName = param({ username: Username }, INVALID_USER);

/** The operations on users, below `/v2/user`. */
export const userRoutes = new Hono<AppEnv>()
  .use(noStore)
  .post("/", operation("createUser", DUPLICATE), smallBody, newUser, async (c) => {
    const { id } = await signUp(c, c.req.valid("json"));
    return c.json(apiResponse(String(id)));
  })
  .post("/createWithArray", operation("createUsersWithArrayInput", DUPLICATE), largeBody, users, async (c) => {
    await signUpAll(c, c.req.valid("json"));
    return c.json(apiResponse("ok"));
  })
  .post("/createWithList", operation("createUsersWithListInput", DUPLICATE), largeBody, users, async (c) => {
    await signUpAll(c, c.req.valid("json"));
    return c.json(apiResponse("ok"));
  })
  .get("/login", operation("loginUser"), login, async (c) => {
    const token = await logIn(c, c.req.valid("query"), "/v2", WRONG);
    return c.json(apiResponse(`logged in user session:${token}`));
  })
  .get("/logout", operation("logoutUser"), async (c) => {
    await logOut(c, "/v2");
    return c.json(apiResponse("ok"));
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
    operation("updateUser", FORBIDDEN, NOT_FOUND, DUPLICATE, PRECONDITION_FAILED),
    authenticated,
    oldName,
    smallBody,
    newUser,
    preconditions,
    async (c) => {
      const { username } = c.req.valid("param");
      const row = await changeUser(c, username, c.req.valid("json"), NOT_FOUND);
      return c.json(apiResponse(String(row.id)));
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
      return c.json(apiResponse(username));
    },
  );
