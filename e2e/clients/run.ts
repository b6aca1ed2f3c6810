// Lints the documents of a running service, generates clients from them, compiles these, and lets each call the service. Then
// tools send requests from the documents alone. Requires Java for OpenAPI Generator.
import { deepEqual } from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { send, succeed, withServer } from "../server.ts";
import { dredd, newman, openapiSampler, prism, type Tool } from "./tools.ts";

const HERE = import.meta.dirname;
const GENERATED = join(HERE, "generated");

/** The documents, by the name of their files. */
const DOCUMENTS = {
  "openapi.json": "/v2/openapi.json",
  "swagger.json": "/v2/swagger.json",
  "petstore3.json": "/api/v3/openapi.json",
} as const;

type DocumentName = keyof typeof DOCUMENTS;

const IMAGE = "GET /pet/1/images/5f8e3d0e-1c1f-4c8e-9a53-0d6f3f6a2b11.png";

/** No example can hold a file. */
const UPLOAD = { "POST /pet/1/uploadImage": "400" };
const FILES = { ...UPLOAD, [IMAGE]: "404" };
const NO_SUCCESS = "statusCode: Expected status code '200', but got '400'.";
const FILES_IN_DREDD = {
  "POST /pet/1/uploadImage": NO_SUCCESS,
  [IMAGE]: "headers: At '/etag' Missing required property: etag",
};

/** Petstore's document declares the result of a login as a string, and clients have its type. The service returns an object. */
const LOGIN = "GET /user/login?username=ada&password=correct%20horse";

interface Trial {
  readonly document: DocumentName;
  readonly sent: number;
  /** The requests that fail, with the reasons that the tool gives. */
  readonly rejected: Readonly<Record<string, string>>;
}

/** What each tool sends from the documents. */
const TRIALS: readonly (readonly [Tool, readonly Trial[]])[] = [
  [
    newman,
    [
      { document: "openapi.json", sent: 21, rejected: FILES },
      { document: "swagger.json", sent: 21, rejected: FILES },
      { document: "petstore3.json", sent: 19, rejected: UPLOAD },
    ],
  ],
  [
    // dredd does not support OpenAPI 3.1.
    dredd,
    [
      {
        document: "swagger.json",
        sent: 21,
        rejected: { ...FILES_IN_DREDD, [LOGIN]: "body: At '' Invalid type: object (expected string)" },
      },
      {
        document: "petstore3.json",
        sent: 19,
        rejected: {
          "POST /pet/1/uploadImage?additionalMetadata=at%20the%20lake": NO_SUCCESS,
          // dredd compares media types with their parameters.
          "DELETE /pet/1": "headers: At '/content-type' No enum match for: \"text/plain; charset=utf-8\"",
          "GET /user/logout": "headers: At '/content-type' No enum match for: \"text/plain; charset=utf-8\"",
        },
      },
    ],
  ],
  [
    openapiSampler,
    [
      { document: "openapi.json", sent: 21, rejected: {} },
      { document: "swagger.json", sent: 21, rejected: {} },
      { document: "petstore3.json", sent: 19, rejected: {} },
    ],
  ],
  [
    prism,
    [
      { document: "openapi.json", sent: 21, rejected: {} },
      {
        document: "swagger.json",
        sent: 21,
        rejected: { [LOGIN.replace("%20", "+")]: "500 Response body must be string" },
      },
      { document: "petstore3.json", sent: 19, rejected: {} },
    ],
  ],
];

/** Runs a command of the packages in this folder. */
async function run(command: string, env: Record<string, string> = {}): Promise<void> {
  const PATH = [join(HERE, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  await succeed(["bash", "-c", command], { cwd: HERE, env: { ...env, PATH } });
  console.log(`ok  ${command}`);
}

/** Creates a sandbox. @returns its URL */
async function createSandbox(origin: string, data: "classic" | "empty"): Promise<string> {
  const created = await send("POST", `${origin}/sandboxes`, { data });
  const { name } = (await created.json()) as { readonly name: string };
  return `${origin}/sandboxes/${name}`;
}

/** Writes a document to a file. */
async function save(url: string, file: string): Promise<string> {
  const path = join(GENERATED, file);
  writeFileSync(path, await (await fetch(url)).text());
  return path;
}

/** Lets a tool use the document of a sandbox. */
async function checkTool(tool: Tool, { document, sent, rejected }: Trial, sandbox: string): Promise<void> {
  const path = DOCUMENTS[document];
  const file = await save(sandbox + path, `${tool.name}-${document}`);
  const outcome = await tool({ file, base: sandbox + path.replace(/\/[^/]+$/, "") });
  deepEqual(outcome, { sent, rejected: Object.entries(rejected).map((each) => each.join(": ")) });
  console.log(`ok  ${tool.name}, ${document}: ${sent - outcome.rejected.length} of ${sent} accepted`);
}

const bundle = (call: string) =>
  run(
    `esbuild calls/${call}.ts --bundle --platform=node --format=esm --packages=external --outfile=generated/${call}.mjs`,
  );

rmSync(GENERATED, { recursive: true, force: true });
mkdirSync(GENERATED);

await withServer(async (origin) => {
  for (const [file, path] of Object.entries(DOCUMENTS)) await save(origin + path, file);
  const documents = Object.keys(DOCUMENTS).map((file) => `generated/${file}`);
  await run(`redocly lint ${documents.join(" ")}`);
  await run("openapi-typescript generated/openapi.json -o generated/openapi.ts");
  await run("openapi-typescript generated/petstore3.json -o generated/petstore3.ts");
  for (const name of ["openapi", "petstore3"]) {
    await run(`openapi-zod-client generated/${name}.json -o generated/${name}.zod.ts`);
    await run(`openapi-ts -i ./generated/${name}.json -o generated/hey-${name} -p zod --no-log-file`);
  }
  await run("openapi-generator generate -i generated/swagger.json -o generated/axios -g typescript-axios");
  await run("tsc -p .");
  for (const client of ["zod", "openapi-fetch", "openapi-generator", "swagger-client"]) {
    await bundle(client);
    await run(`node generated/${client}.mjs`, { SANDBOX: await createSandbox(origin, "empty") });
  }
  await bundle("openapi-sampler");
  for (const [tool, trials] of TRIALS) {
    await Promise.all(trials.map(async (trial) => checkTool(tool, trial, await createSandbox(origin, "classic"))));
  }
});
