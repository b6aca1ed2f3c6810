// `bash .ci/run clients`: generates clients from the documents of a server, compiles them, and runs the example of each
// against a sandbox. Then it tests mocks, swagger-client and a Postman collection. With `-- --openapi-generator`, it tests
// the clients of OpenAPI Generator instead. They need Java, Ruby with typhoeus, and Python with urllib3, six, dateutil
// and certifi.
import { deepStrictEqual } from "node:assert";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { succeed } from "../http.ts";
import { withServer } from "../server.ts";
import { GENERATED, HERE, runCommand } from "./command.ts";
import { CLIENTS, DOCUMENTS, MOCKS, OPENAPI_GENERATOR_CLIENTS } from "./generators.ts";
import type { Client } from "./generators.ts";
import { checkCollection } from "./postman.ts";

const EXAMPLES = join(HERE, "examples");
/** Debian's Python has Debian's packages. */
const PYTHON = process.env["PYTHON"] ?? "/usr/bin/python3";

const isOpenApiGenerator = process.argv.includes("--openapi-generator");
const clients = isOpenApiGenerator ? OPENAPI_GENERATOR_CLIENTS : CLIENTS;

/** The operations that every example must call. The others are for lists, tags and images. */
const CALLED =
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
  const commands = clients.map(({ command }) => command);
  const rest = [...commands, ...(isOpenApiGenerator ? [] : MOCKS)].values();
  const work = async () => {
    for (const command of rest) await runCommand(command, GENERATED);
  };
  await Promise.all([work(), work()]);
}

/** Compiles the examples in TypeScript. */
async function compile(): Promise<void> {
  const project = isOpenApiGenerator ? "tsconfig.openapi-generator.json" : ".";
  const files = clients.map(({ example }) => example).filter((example) => example.endsWith(".ts"));
  const flags = "--bundle --platform=node --format=esm --packages=external";
  await Promise.all([
    runCommand(`tsc -p ${project}`, HERE),
    runCommand(
      `esbuild ${files.join(" ")} ${flags} --outdir=../generated --out-extension:.js=.mjs`,
      EXAMPLES,
    ),
  ]);
}

async function runExample({ example, folder }: Client, PETSTORE: string): Promise<void> {
  const generated = join(GENERATED, folder);
  if (example.endsWith(".py")) {
    await runCommand(`${PYTHON} ${example}`, EXAMPLES, { PETSTORE, PYTHONPATH: generated });
  } else if (example.endsWith(".rb")) {
    await runCommand(`ruby -I ${join(generated, "lib")} ${example}`, EXAMPLES, { PETSTORE });
  } else {
    await runCommand(`node ../generated/${example.replace(/ts$/, "mjs")}`, EXAMPLES, { PETSTORE });
  }
}

/** A request as a sandbox records it. */
interface Recorded {
  readonly operationId?: string;
  readonly status: number;
}

/** Runs the example of a client on a new sandbox. @throws Error if a call is missing or failed */
async function check(client: Client, origin: string): Promise<void> {
  const sandbox = `${origin}/stores/${randomUUID()}`;
  await runExample(client, sandbox + client.base);
  const requests = (await succeed(sandbox, "GET /requests")).json as readonly Recorded[];
  const outcomes = requests.map(({ operationId, status }) => `${operationId} ${status}`);
  const missing = CALLED.filter((operation) => !outcomes.includes(`${operation} 200`));
  const failed = outcomes.filter((outcome) => !outcome.endsWith(" 200"));
  // Each example looks up the pet that it has deleted.
  deepStrictEqual({ missing, failed }, { missing: [], failed: ["getPetById 404"] }, client.folder);
  console.log(`ok  ${client.folder}: ${requests.length} requests`);
}

await withServer(async (origin) => {
  await generate(origin);
  await compile();
  for (const client of clients) await check(client, origin);
  if (isOpenApiGenerator) return;
  await runCommand("node --test examples/mocks.test.ts swagger-client.test.ts", HERE, {
    PETSTORE: origin,
  });
  console.log("ok  mocks, swagger-client");
  await checkCollection(`${origin}/stores/${randomUUID()}/v2`);
});
