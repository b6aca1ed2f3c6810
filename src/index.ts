import { createServiceApp } from "./app.ts";
import { cloudflareBindings } from "./middleware/bindings.ts";
import { SandboxObject } from "./sandbox/object.ts";
import { v2 } from "./v2.ts";
import { v3 } from "./v3.ts";

/** The Durable Object of a sandbox, which has the same APIs. */
export class Sandbox extends SandboxObject {
  override readonly apis = { "/v2": v2, "/api/v3": v3 };
}

const app = createServiceApp(cloudflareBindings);

/** For typed clients: `hc<AppType>(url)`. */
export type AppType = typeof app;

export default app;
