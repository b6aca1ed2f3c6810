import { Hono } from "hono/tiny";
import { ownerOnly } from "../http/access.ts";
import { json } from "../http/body.ts";
import type { AppEnv } from "../http/env.ts";
import { conditional, setETag } from "../http/etag.ts";
import { operation } from "../http/operation.ts";
import { LARGE_BODY } from "../http/read-body.ts";
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
import { toUser } from "./queries.ts";
import { NewUser, NewUsers, Username, credentials } from "./schemas.ts";

const INVALID_USERNAME = [400, "Invalid username supplied"] as const;
const BAD_REQUEST = [400, "bad request"] as const;
const INVALID_INPUT = [400, "Invalid input"] as const;
const VALIDATION_EXCEPTION = [422, "Validation exception"] as const;

const userParam = param({ username: Username }, INVALID_USERNAME);
const updatedUserParam = param({ username: Username }, BAD_REQUEST);
const loginQuery = query(credentials, INVALID_LOGIN);
const newUserBody = json(NewUser, VALIDATION_EXCEPTION, { byField: { body: INVALID_INPUT } });
const usersBody = json(NewUsers, VALIDATION_EXCEPTION, { limit: LARGE_BODY, byField: { body: INVALID_INPUT } });
const changesBody = json(NewUser, VALIDATION_EXCEPTION, { byField: { body: BAD_REQUEST } });

/** The operations on users, below `/api/v3/user`. */
export const userRoutes = new Hono<AppEnv>()
  .use(noStore)
  .post("/", operation("createUser", DUPLICATE), newUserBody, async (c) => {
    const user = c.req.valid("json");
    const row = await createUserOrThrow(c, user);
    setETag(c, row);
    return sendJson(c, toUser({ ...user, id: row.id }));
  })
  .post("/createWithList", operation("createUsersWithListInput", DUPLICATE), usersBody, async (c) => {
    const users = c.req.valid("json");
    const rows = await createUsersOrThrow(c, users);
    // The rows have only encrypted passwords.
    return sendJson(
      c,
      rows.map((row, index) => toUser({ ...row, password: users[index]?.password ?? null })),
    );
  })
  .get("/login", operation("loginUser"), loginQuery, async (c) => {
    const token = await logIn(c, c.req.valid("query"), "/api/v3");
    return sendJson(c, `Logged in user session: ${token}`);
  })
  .get("/logout", operation("logoutUser"), async (c) => {
    await logOut(c, "/api/v3");
    // Without a status, Hono would leave the `Content-Type` of HEAD to the runtime, which spells it differently.
    return c.text("User logged out", 200);
  })
  .get("/:username", operation("getUserByName", NOT_FOUND), ownerOnly, userParam, conditional, async (c) => {
    return sendUser(c, await getOwnUserOrThrow(c, c.req.valid("param").username));
  })
  .put(
    "/:username",
    operation("updateUser", NOT_FOUND, DUPLICATE),
    ownerOnly,
    updatedUserParam,
    changesBody,
    conditional,
    async (c) => {
      const row = await updateUserOrThrow(c, c.req.valid("param").username, c.req.valid("json"));
      return sendUser(c, row);
    },
  )
  .delete("/:username", operation("deleteUser", NOT_FOUND), ownerOnly, userParam, conditional, async (c) => {
    await deleteUserOrThrow(c, c.req.valid("param").username);
    return c.body(null);
  });
