import { Hono } from "hono";
import { documentsOfV2 } from "../assets.ts";
import type { AppEnv } from "../env.ts";
import { petRoutes } from "./pet.ts";
import { storeRoutes } from "./store.ts";
import { userRoutes } from "./user.ts";

/** The interface of the specification. */
export const v2 = new Hono<AppEnv>()
  .route("/pet", petRoutes)
  .route("/store", storeRoutes)
  .route("/user", userRoutes)
  .route("/", documentsOfV2);
