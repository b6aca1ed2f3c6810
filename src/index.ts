import { pathOf } from "./address.ts";
import { createApp, settings } from "./app.ts";
import { interfaces } from "./interfaces.ts";
import { cloudflareStores } from "./middleware/d1.ts";
import { limitRequests } from "./middleware/rate-limit.ts";
import { sandboxes } from "./sandbox/forward.ts";

export { Sandbox } from "./sandbox/object.ts";

const app = createApp();

// Before the settings and the limit: it says that the Worker runs, and nothing more.
app.get("/health", (c) => c.json({ status: "ok" }));
app.use(settings, limitRequests);
app.on("GET", ["/", "/docs"], (c) => c.redirect(pathOf(c, "/docs/")));
app.route("/sandboxes", sandboxes);
app.use(cloudflareStores);
app.route("/", interfaces);

export default app;
