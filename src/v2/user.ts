import { Hono } from "hono";
import type { AppEnv } from "../env.ts";
import { ApiError } from "../errors.ts";
import { changeUser, logIn, logOut, noStore, removeUser, shownUser, signUp } from "../account.ts";
import { authenticated, themselves } from "../middleware/auth.ts";
import { conditional, preconditions, setETag } from "../middleware/conditions.ts";
import { json, largeBody, param, query, smallBody } from "../middleware/validate.ts";
import { operation } from "../operation.ts";
import { LoginParameter } from "../schemas.ts";
import { findUser } from "../user/queries.ts";
import { NewUser, NewUsers, Username } from "../user/schemas.ts";
import { apiResponse } from "./answers.ts";

const INVALID_USERNAME = [400, "Invalid username supplied"] as const;
const INVALID_USER = [400, "Invalid user supplied"] as const;
const WRONG = [400, "Invalid username/password supplied"] as const;
const NOT_FOUND = [404, "User not found"] as const;
const newUser = json(NewUser, INVALID_USER);
const newUsers = json(NewUsers, INVALID_USER);
const credentials = query({ username: LoginParameter, password: LoginParameter }, WRONG);
const byName = param({ username: Username }, INVALID_USERNAME);

/** The operations on users, below `/v2/user`. */
export const userRoutes = new Hono<AppEnv>()
  .use(noStore)
  .post("/", operation("createUser"), smallBody, newUser, async (c) => {
    const [row] = await signUp(c, c.req.valid("json"));
    return c.json(apiResponse(String(row?.id)));
  })
  .post("/createWithArray", operation("createUsersWithArrayInput"), largeBody, newUsers, async (c) => {
    await signUp(c, c.req.valid("json"));
    return c.json(apiResponse("ok"));
  })
  .post("/createWithList", operation("createUsersWithListInput"), largeBody, newUsers, async (c) => {
    await signUp(c, c.req.valid("json"));
    return c.json(apiResponse("ok"));
  })
  .get("/login", operation("loginUser"), credentials, async (c) => {
    const token = await logIn(c, c.req.valid("query"), "/v2", WRONG);
    return c.json(apiResponse(`logged in user session:${token}`));
  })
  .get("/logout", operation("logoutUser"), async (c) => {
    await logOut(c, "/v2");
    return c.json(apiResponse("ok"));
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
    param({ username: Username }, INVALID_USER),
    preconditions,
    smallBody,
    newUser,
    themselves,
    async (c) => {
      const { username } = c.req.valid("param");
      const row = await changeUser(c, username, c.req.valid("json"), NOT_FOUND);
      return c.json(apiResponse(String(row.id)));
    },
  )
  .delete("/:username", operation("deleteUser"), authenticated, byName, preconditions, themselves, async (c) => {
    const { username } = c.req.valid("param");
    await removeUser(c, username, NOT_FOUND);
    return c.json(apiResponse(username));
  });
