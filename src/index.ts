import { cloudflareBindings } from "./middleware/bindings.ts";
import { createService } from "./service.ts";

export { Sandbox } from "./sandbox/object.ts";

const app = createService(cloudflareBindings);

/** For typed clients: `hc<AppType>(url)`. */
export type AppType = typeof app;

export default app;
