import { cloudflareStores } from "./middleware/bindings.ts";
import { createService } from "./service.ts";

export { Sandbox } from "./sandbox/object.ts";

const app = createService(cloudflareStores);

/** For typed clients: `hc<AppType>(url)`. */
export type AppType = typeof app;

export default app;
