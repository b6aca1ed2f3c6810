import { Hono } from "hono";
import { documentsOfV3 } from "../assets.ts";
import type { AppEnv } from "../env.ts";
import { petRoutes } from "./pet.ts";
import { storeRoutes } from "./store.ts";
import { userRoutes } from "./user.ts";

/** Petstore 3, over the same data. */
export const v3 = new Hono<AppEnv>()
  .route("/pet", petRoutes)
  .route("/store", storeRoutes)
  .route("/user", userRoutes)
  .route("/", documentsOfV3);
