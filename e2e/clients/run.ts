// `bash .ci/run clients`: generates clients from the documents of a server, compiles them, and runs the example of each
// against a sandbox. Then it tests swagger-client and a Postman collection. OpenAPI Generator needs Java.
import { deepStrictEqual } from "node:assert";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { succeed } from "../http.ts";
import { withServer } from "../server.ts";
import { GENERATED, HERE, runCommand } from "./command.ts";
import { CLIENTS, DOCUMENTS } from "./generators.ts";
import type { Client } from "./generators.ts";
import { checkCollection } from "./postman.ts";

const EXAMPLES = join(HERE, "examples");
/** The operations of the walk. The others are for lists, tags and images. */
const WALK =
  `addPet updatePet getPetById updatePetWithForm uploadFile findPetsByStatus deletePet getInventory placeOrder
  getOrderById deleteOrder createUser createUsersWithListInput loginUser getUserByName updateUser logoutUser
  deleteUser`.split(/\s+/);

/** Runs two generators at a time: they are slow to start, and CI machines are small. */
async function generate(origin: string): Promise<void> {
  rmSync(GENERATED, { recursive: true, force: true });
  mkdirSync(GENERATED);
  for (const { path, file } of Object.values(DOCUMENTS)) {
    writeFileSync(join(GENERATED, file), (await succeed(origin, `GET ${path}`)).text);
  }
  const rest = CLIENTS.map(({ command }) => command).values();
  const work = async () => {
    for (const command of rest) await runCommand(command, GENERATED);
  };
  await Promise.all([work(), work()]);
}

/** Compiles the examples. */
async function compile(): Promise<void> {
  const files = CLIENTS.map(({ folder }) => `${folder}.ts`).join(" ");
  const flags = "--bundle --platform=node --format=esm --packages=external";
  await Promise.all([
    runCommand("tsc -p .", HERE),
    runCommand(
      `esbuild ${files} ${flags} --outdir=../generated --out-extension:.js=.mjs`,
      EXAMPLES,
    ),
  ]);
}

/** A request as a sandbox records it. */
interface Recorded {
  readonly operationId?: string;
  readonly status: number;
}

/** Runs the example of a client on a new sandbox. @throws Error if a call is missing or failed */
async function check(client: Client, origin: string): Promise<void> {
  const sandbox = `${origin}/stores/${randomUUID()}`;
  const PETSTORE = sandbox + client.base;
  await runCommand(`node ../generated/${client.folder}.mjs`, EXAMPLES, { PETSTORE });
  const requests = (await succeed(sandbox, "GET /requests")).json as readonly Recorded[];
  const outcomes = requests.map(({ operationId, status }) => `${operationId} ${status}`);
  const { calls = WALK } = client;
  const missing = calls.filter((operation) => !outcomes.includes(`${operation} 200`));
  const failed = outcomes.filter((outcome) => !outcome.endsWith(" 200"));
  // The walk looks up the pet that it has deleted.
  const expected = { missing: [], failed: calls === WALK ? ["getPetById 404"] : [] };
  deepStrictEqual({ missing, failed }, expected, client.folder);
  console.log(`ok  ${client.folder}: ${requests.length} requests`);
}

await withServer(async (origin) => {
  await generate(origin);
  await compile();
  for (const client of CLIENTS) await check(client, origin);
  await runCommand("node --test swagger-client.test.ts", HERE, { PETSTORE: origin });
  console.log("ok  swagger-client");
  await checkCollection(`${origin}/stores/${randomUUID()}/v2`);
});
