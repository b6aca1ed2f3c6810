import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeEach } from "vitest";

async function isEmpty(): Promise<boolean> {
  const [tables, sessions, images] = await Promise.all([
    env.DB.prepare("SELECT name FROM sqlite_schema WHERE name = 'pets'").all(),
    env.SESSIONS.list({ limit: 1 }),
    env.IMAGES.list({ limit: 1 }),
  ]);
  return tables.results.length + sessions.keys.length + images.objects.length === 0;
}

// Test files share Workers, so each file starts with empty storage. The runtime does not clear storage that is in use.
for (let tries = 1; tries === 1 || !(await isEmpty()); tries++) {
  if (tries > 20) throw new Error("the stores still hold what the test file before left");
  await reset();
}
await applyD1Migrations(env.DB, env.MIGRATIONS);

// Every run generates the same values.
fc.configureGlobal({ seed: 20261125 });

// The Worker logs each request, and sending a line to the reporter takes longer than most requests. Send only the lines of
// failed tests and those of hooks: the reporter prints them under the title of the test, or of the file if anything in it failed.
const { log } = console;
const ofHooks: unknown[][] = [];
let lines = ofHooks;
console.log = (...line: unknown[]) => void lines.push(line);

const sendLines = () => lines.forEach((line) => log(...line));

beforeEach(() => {
  lines = [];
});

afterEach(({ task }) => {
  if (task.result?.state === "fail") sendLines();
  lines = ofHooks;
});

afterAll(() => {
  sendLines();
  console.log = log;
});
