import { Hono } from "hono/tiny";
import { sendAsset } from "./http/assets.ts";
import type { AppEnv } from "./http/env.ts";
import { storeRoutes } from "./orders/v2.ts";
import { petRoutes } from "./pets/v2.ts";
import { userRoutes } from "./users/v2.ts";

/** The API of the specification. */
export const v2 = new Hono<AppEnv>()
  .route("/pet", petRoutes)
  .route("/store", storeRoutes)
  .route("/user", userRoutes)
  .get("/openapi.json", (c) => sendAsset(c, "/documents/v2/openapi.json"))
  .get("/openapi.yaml", (c) => sendAsset(c, "/documents/v2/openapi.yaml"))
  .get("/swagger.json", (c) => sendAsset(c, "/documents/v2/swagger.json"));
