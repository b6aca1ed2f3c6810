// `npm run test:clients`: generates clients from both documents, compiles them, and has each walk a served Worker by its
// example. Then it tests swagger-client, which generates nothing, and a Postman collection. With --others it also
// generates clients in Go, Java and Perl. Needs Java for OpenAPI Generator, and Python with urllib3, six, dateutil and
// certifi.
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withServer } from "../server.ts";
import { ROOT, run } from "../../scripts/programs.ts";
import { GENERATED, HERE, runCommand } from "./command.ts";
import { GENERATORS, OTHERS } from "./generators.ts";
import { checkCollection } from "./postman.ts";
import { recording } from "./recording.ts";
import type { Exchange } from "./recording.ts";

const EXAMPLES = join(HERE, "examples");
/** Debian's Python, because the Python client needs Debian packages. */
const PYTHON = process.env["PYTHON"] ?? "/usr/bin/python3";

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

/** What the client in Python imports. */
const MODULES = ["certifi", "dateutil", "six", "urllib3"];

/** Ends with a sentence where Python's modules are missing, before they are missed minutes later. */
async function checkPython(): Promise<void> {
  const { status } = await run(PYTHON, ["-c", `import ${MODULES.join()}`]);
  if (status === 0) return;
  const packages = MODULES.map((name) => `python3-${name}`).join(" ");
  console.error(
    `test:clients needs ${PYTHON} with ${MODULES.join(", ")}: install Debian's packages ${packages}, or set PYTHON to another one`,
  );
  process.exit(1);
}

/** Two at a time: the generators are slow to start, and machines of CI small. */
async function generate(): Promise<void> {
  rmSync(GENERATED, { recursive: true, force: true });
  mkdirSync(GENERATED);
  for (const file of ["openapi.json", "swagger.json"]) {
    copyFileSync(join(ROOT, file), join(GENERATED, file));
  }
  const others = process.argv.includes("--others") ? OTHERS : [];
  const commands = [...Object.values(GENERATORS), ...others].values();
  const work = async () => {
    for (const command of commands) await runCommand(command, GENERATED);
  };
  await Promise.all([work(), work()]);
}

async function compile(): Promise<void> {
  await Promise.all([
    runCommand("tsc -p .", HERE),
    runCommand("tsc -p tsconfig.openapi-generator.json", HERE),
    runCommand(`${PYTHON} -m compileall -q openapi-generator.python/petstore`, GENERATED),
    ...Object.keys(GENERATORS)
      .filter((example) => example.endsWith(".ts"))
      .map(async (example) => {
        const flags = "--bundle --platform=node --format=esm --packages=external";
        const out = join("generated", example.replace(/ts$/, "mjs"));
        await runCommand(`esbuild examples/${example} ${flags} --outfile=${out}`, HERE);
      }),
  ]);
}

/** @throws Error where a call of the walk is missing, or one failed that should not */
function check(example: string, exchanges: readonly Exchange[]): void {
  const outcomes = new Set(exchanges.map(({ call, status }) => `${call}: ${status}`));
  const missing = WALK.filter((call) => !outcomes.has(`${call}: 200`));
  if (missing.length > 0) throw new Error(`${example} got no 200 for ${missing.join(", ")}`);
  const refused = exchanges.filter(({ status }) => status !== 200);
  // The last request looks up the deleted pet.
  if (refused.length !== 1 || refused[0]?.status !== 404 || refused[0].call !== "GET /pet/{}") {
    throw new Error(`${example}: ${JSON.stringify(refused)}`);
  }
  console.log(`ok  ${example}: ${exchanges.length} requests`);
}

await checkPython();
await generate();
await compile();
await withServer(async (origin) => {
  for (const example of Object.keys(GENERATORS)) {
    const exchanges = await recording(origin, async (recorded) => {
      const env = { PETSTORE: `${recorded}/v2` };
      await (example.endsWith(".py")
        ? runCommand(`${PYTHON} ${example}`, EXAMPLES, {
            ...env,
            PYTHONPATH: join(GENERATED, "openapi-generator.python"),
          })
        : runCommand(`node ../generated/${example.replace(/ts$/, "mjs")}`, EXAMPLES, env));
    });
    check(example, exchanges);
  }
  await runCommand("node --test swagger-client.test.ts", HERE, { PETSTORE: `${origin}/v2` });
  console.log("ok  swagger-client");
});
await withServer(checkCollection);
