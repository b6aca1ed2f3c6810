import { Hono } from "hono/tiny";
import { ownerOnly } from "../http/access.ts";
import { json } from "../http/body.ts";
import type { AppEnv } from "../http/env.ts";
import { conditional } from "../http/etag.ts";
import { operation } from "../http/operation.ts";
import { LARGE_BODY } from "../http/read-body.ts";
import { apiResponse } from "../http/resource.ts";
import { sendJson } from "../http/send-json.ts";
import { param, query } from "../http/validate.ts";
import {
  DUPLICATE,
  INVALID_LOGIN,
  NOT_FOUND,
  updateUserOrThrow,
  logIn,
  logOut,
  noStore,
  getOwnUserOrThrow,
  deleteUserOrThrow,
  sendUser,
  createUserOrThrow,
  createUsersOrThrow,
} from "./handlers.ts";
import { NewUser, NewUsers, Username, credentials } from "./schemas.ts";

const INVALID_USERNAME = [400, "Invalid username supplied"] as const;
const INVALID_USER = [400, "Invalid user supplied"] as const;

const userParam = param({ username: Username }, INVALID_USERNAME);
const updatedUserParam = param({ username: Username }, INVALID_USER);
const loginQuery = query(credentials, INVALID_LOGIN);
const userBody = json(NewUser, INVALID_USER);
const usersBody = json(NewUsers, INVALID_USER, { limit: LARGE_BODY });

/** The operations on users, below `/v2/user`. */
export const userRoutes = new Hono<AppEnv>()
  .use(noStore)
  .post("/", operation("createUser", DUPLICATE), userBody, async (c) => {
    const { id } = await createUserOrThrow(c, c.req.valid("json"));
    return sendJson(c, apiResponse(String(id)));
  })
  .post("/createWithArray", operation("createUsersWithArrayInput", DUPLICATE), usersBody, async (c) => {
    await createUsersOrThrow(c, c.req.valid("json"));
    return sendJson(c, apiResponse("ok"));
  })
  .post("/createWithList", operation("createUsersWithListInput", DUPLICATE), usersBody, async (c) => {
    await createUsersOrThrow(c, c.req.valid("json"));
    return sendJson(c, apiResponse("ok"));
  })
  .get("/login", operation("loginUser"), loginQuery, async (c) => {
    const token = await logIn(c, c.req.valid("query"), "/v2");
    return sendJson(c, apiResponse(`logged in user session:${token}`));
  })
  .get("/logout", operation("logoutUser"), async (c) => {
    await logOut(c, "/v2");
    return sendJson(c, apiResponse("ok"));
  })
  .get("/:username", operation("getUserByName", NOT_FOUND), ownerOnly, userParam, conditional, async (c) => {
    return sendUser(c, await getOwnUserOrThrow(c, c.req.valid("param").username));
  })
  .put(
    "/:username",
    operation("updateUser", NOT_FOUND, DUPLICATE),
    ownerOnly,
    updatedUserParam,
    userBody,
    conditional,
    async (c) => {
      const row = await updateUserOrThrow(c, c.req.valid("param").username, c.req.valid("json"));
      return sendJson(c, apiResponse(String(row.id)));
    },
  )
  .delete("/:username", operation("deleteUser", NOT_FOUND), ownerOnly, userParam, conditional, async (c) => {
    const { username } = c.req.valid("param");
    await deleteUserOrThrow(c, username);
    return sendJson(c, apiResponse(username));
  });
