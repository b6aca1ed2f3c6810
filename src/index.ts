import { pathOf } from "./http/address.ts";
import { createApp, rejectMethods, settings, baseMiddleware } from "./middleware/app.ts";
import { anyOrigin } from "./middleware/cors.ts";
import { cachePrivately } from "./http/etag.ts";
import { limitRequests } from "./middleware/rate-limit.ts";
import { cloudflareBindings } from "./middleware/bindings.ts";
import { forwarded, refused, sandboxes } from "./sandbox/forward.ts";
import { v2 } from "./v2.ts";
import { v3 } from "./v3.ts";

export { Sandbox } from "./sandbox/object.ts";

const app = createApp();

// Before the rest: nothing is added to the answer of a sandbox.
app.use("/sandboxes/:sandbox/*", forwarded);
app.use(...baseMiddleware, cachePrivately, rejectMethods(app));
// Before the settings and the limit: it says that the Worker runs, and nothing more.
app.get("/health", (c) => c.json({ status: "ok" }));
// Before the limit, so that scripts of any origin can read its refusal, too.
app.use("/v2/*", anyOrigin);
app.use("/api/v3/*", anyOrigin);
app.use("/sandboxes/:sandbox/v2/*", anyOrigin);
app.use("/sandboxes/:sandbox/api/v3/*", anyOrigin);
app.use("/sandboxes/:sandbox/*", refused);
app.use(settings, limitRequests);
app.on("GET", ["/", "/docs"], (c) => c.redirect(pathOf(c, "/docs/")));
app.route("/sandboxes", sandboxes);
app.use(cloudflareBindings);
const routes = app.route("/v2", v2).route("/api/v3", v3);

/** For typed clients: `hc<AppType>(url)`. */
export type AppType = typeof routes;

export default app;
