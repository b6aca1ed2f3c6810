import { Hono } from "hono";
import { sendAsset } from "../http/assets.ts";
import type { AppEnv } from "../env.ts";
import { petRoutes } from "./pet.ts";
import { store } from "./store.ts";
import { userRoutes } from "./user.ts";

/** The interface of the specification. */
export const v2 = new Hono<AppEnv>()
  .route("/pet", petRoutes)
  .route("/store", store)
  .route("/user", userRoutes)
  .get("/openapi.json", (c) => sendAsset(c, "/documents/v2/openapi.json"))
  .get("/openapi.yaml", (c) => sendAsset(c, "/documents/v2/openapi.yaml"))
  .get("/swagger.json", (c) => sendAsset(c, "/documents/v2/swagger.json"));
