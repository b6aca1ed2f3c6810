import { Hono } from "hono/tiny";
import { sendAsset } from "./http/assets.ts";
import type { AppEnv } from "./http/env.ts";
import { storeRoutes } from "./orders/v3.ts";
import { petRoutes } from "./pets/v3.ts";
import { userRoutes } from "./users/v3.ts";

/** The API of Petstore 3, on the same data. */
export const v3 = new Hono<AppEnv>()
  .route("/pet", petRoutes)
  .route("/store", storeRoutes)
  .route("/user", userRoutes)
  .get("/openapi.json", (c) => sendAsset(c, "/documents/v3/openapi.json"))
  .get("/openapi.yaml", (c) => sendAsset(c, "/documents/v3/openapi.yaml"));
