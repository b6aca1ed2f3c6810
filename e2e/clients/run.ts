// `npm run test:clients`: generates clients from the documents of a served Worker, compiles them, and has each walk the
// Worker by its example. Then it tests mocks, swagger-client, which generates nothing, and a Postman collection. With
// `-- --openapi-generator`, it does the first with the clients of OpenAPI Generator, and nothing else. They need Java,
// Ruby with typhoeus, and Python with urllib3, six, dateutil and certifi.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { succeed } from "../http.ts";
import { withServer } from "../server.ts";
import { run } from "../../scripts/programs.ts";
import { GENERATED, HERE, runCommand } from "./command.ts";
import { CLIENTS, DOCUMENTS, MOCKS, OPENAPI_GENERATOR_CLIENTS } from "./generators.ts";
import type { Client } from "./generators.ts";
import { checkCollection } from "./postman.ts";
import { recording } from "./recording.ts";
import type { Exchange } from "./recording.ts";

const EXAMPLES = join(HERE, "examples");
/** Debian's Python, because the Python client needs Debian packages. */
const PYTHON = process.env["PYTHON"] ?? "/usr/bin/python3";

const isOpenApiGenerator = process.argv.includes("--openapi-generator");
const clients = isOpenApiGenerator ? OPENAPI_GENERATOR_CLIENTS : CLIENTS;

/** What every example must have done: what Petstore's own samples do, and all there is for each resource. */
const WALK = [
  "POST /pet",
  "PUT /pet",
  "GET /pet/{}",
  "POST /pet/{}",
  "POST /pet/{}/uploadImage",
  "GET /pet/findByStatus",
  "DELETE /pet/{}",
  "GET /store/inventory",
  "POST /store/order",
  "GET /store/order/{}",
  "DELETE /store/order/{}",
  "POST /user",
  "POST /user/createWithList",
  "GET /user/login",
  "GET /user/{}",
  "PUT /user/{}",
  "GET /user/logout",
  "DELETE /user/{}",
];

/** What the clients of OpenAPI Generator need: a command that fails without it, and Debian's packages. */
const NEEDED = [
  ["java", ["-version"], "default-jre-headless"],
  ["ruby", ["-e", 'require "typhoeus"'], "ruby ruby-typhoeus"],
  [
    PYTHON,
    ["-c", "import certifi, dateutil, six, urllib3"],
    "python3-certifi python3-dateutil python3-six python3-urllib3",
  ],
] as const;

/** Ends with a sentence where something is missing, before it is missed minutes later. */
async function checkPrograms(): Promise<void> {
  for (const [program, args, packages] of NEEDED) {
    const { status } = await run(program, args);
    if (status === 0) continue;
    console.error(`test:clients needs ${program} with Debian's packages ${packages}`);
    process.exit(1);
  }
}

/** Two at a time: the generators are slow to start, and machines of CI small. */
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

/** The other languages are compiled when they run. */
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

const runExample = async ({ example, folder, base }: Client, origin: string) => {
  const env = { PETSTORE: `${origin}${base}` };
  const generated = join(GENERATED, folder);
  if (example.endsWith(".py")) {
    await runCommand(`${PYTHON} ${example}`, EXAMPLES, { ...env, PYTHONPATH: generated });
  } else if (example.endsWith(".rb")) {
    await runCommand(`ruby -I ${join(generated, "lib")} ${example}`, EXAMPLES, env);
  } else {
    await runCommand(`node ../generated/${example.replace(/ts$/, "mjs")}`, EXAMPLES, env);
  }
};

/** @throws Error where a call of the walk is missing, or one failed that should not */
function check(name: string, exchanges: readonly Exchange[]): void {
  const outcomes = new Set(exchanges.map(({ call, status }) => `${call}: ${status}`));
  const missing = WALK.filter((call) => !outcomes.has(`${call}: 200`));
  if (missing.length > 0) throw new Error(`${name} got no 200 for ${missing.join(", ")}`);
  const refused = exchanges.filter(({ status }) => status !== 200);
  // The last request looks up the deleted pet.
  if (refused.length !== 1 || refused[0]?.status !== 404 || refused[0].call !== "GET /pet/{}") {
    throw new Error(`${name}: ${JSON.stringify(refused)}`);
  }
  console.log(`ok  ${name}: ${exchanges.length} requests`);
}

if (isOpenApiGenerator) await checkPrograms();
await withServer(async (origin) => {
  await generate(origin);
  await compile();
  for (const client of clients) {
    check(client.folder, await recording(origin, async (recorded) => runExample(client, recorded)));
  }
  if (isOpenApiGenerator) return;
  await runCommand("node --test examples/mocks.test.ts swagger-client.test.ts", HERE, {
    PETSTORE: origin,
  });
  console.log("ok  mocks, swagger-client");
});
if (!isOpenApiGenerator) await withServer(checkCollection);
