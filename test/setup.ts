import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Storage is isolated per test file; this brings the file's own database up to date.
await applyD1Migrations(env.DB, env.MIGRATIONS);
