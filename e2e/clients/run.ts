// Lints the documents of a running service, generates clients from them, compiles these, and lets each call the service. Needs
// Java for OpenAPI Generator.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { send, succeed, withServer } from "../server.ts";

const HERE = import.meta.dirname;
const GENERATED = join(HERE, "generated");

/** The documents, by the name of their files. */
const DOCUMENTS = {
  "openapi.json": "/v2/openapi.json",
  "swagger.json": "/v2/swagger.json",
  "petstore3.json": "/api/v3/openapi.json",
} as const;

/** Runs a command of the packages here. */
async function run(command: string, env: Record<string, string> = {}): Promise<void> {
  const PATH = [join(HERE, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  await succeed(["bash", "-c", command], { cwd: HERE, env: { ...env, PATH } });
  console.log(`ok  ${command}`);
}

rmSync(GENERATED, { recursive: true, force: true });
mkdirSync(GENERATED);

await withServer(async (origin) => {
  for (const [file, path] of Object.entries(DOCUMENTS)) {
    writeFileSync(join(GENERATED, file), await (await fetch(origin + path)).text());
  }
  const documents = Object.keys(DOCUMENTS).map((file) => `generated/${file}`);
  await run(`redocly lint ${documents.join(" ")}`);
  await run("openapi-typescript generated/openapi.json -o generated/openapi.ts");
  await run("openapi-typescript generated/petstore3.json -o generated/petstore3.ts");
  await run("openapi-generator generate -i generated/swagger.json -o generated/axios -g typescript-axios");
  await run("tsc -p .");
  for (const client of ["openapi-fetch", "openapi-generator", "swagger-client"]) {
    const made = await send("POST", `${origin}/sandboxes`);
    const { name } = (await made.json()) as { readonly name: string };
    const bundle = "--bundle --platform=node --format=esm --packages=external";
    await run(`esbuild calls/${client}.ts ${bundle} --outfile=generated/${client}.mjs`);
    await run(`node generated/${client}.mjs`, { SANDBOX: `${origin}/sandboxes/${name}` });
  }
});
