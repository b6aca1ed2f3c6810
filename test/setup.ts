import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";

// Test files share workers, so each starts with empty stores.
await reset();
await applyD1Migrations(env.DB, env.MIGRATIONS);

// Every run draws the same values.
fc.configureGlobal({ seed: 20261125 });
