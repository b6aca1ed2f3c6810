import { Hono } from "hono";
import { sendAsset } from "../http/assets.ts";
import type { AppEnv } from "../env.ts";
import { petRoutes } from "./pet.ts";
import { store } from "./store.ts";
import { userRoutes } from "./user.ts";

/** Petstore 3, over the same data. */
export const v3 = new Hono<AppEnv>()
  .route("/pet", petRoutes)
  .route("/store", store)
  .route("/user", userRoutes)
  .get("/openapi.json", (c) => sendAsset(c, "/documents/v3/openapi.json"))
  .get("/openapi.yaml", (c) => sendAsset(c, "/documents/v3/openapi.yaml"));
