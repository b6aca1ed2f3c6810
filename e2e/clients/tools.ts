// Tools that send requests from a document alone: one for each operation, to a sandbox with the classic data.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Program, freePort, run } from "../server.ts";

const HERE = import.meta.dirname;
const GENERATED = join(HERE, "generated");

/** What a tool sent, and the requests that failed with the reasons of the tool. */
export interface Outcome {
  readonly sent: number;
  readonly rejected: readonly string[];
}

/** Where a tool finds a document and its API. */
export interface Target {
  /** The file of the document. */
  readonly file: string;
  /** The URL of the API. */
  readonly base: string;
}

export type Tool = (target: Target) => Promise<Outcome>;

const bin = (name: string) => join(HERE, "node_modules/.bin", name);

/** Converts the document to a Postman collection and runs it. */
export async function newman({ file, base }: Target): Promise<Outcome> {
  const collection = `${file}.collection`;
  const report = `${file}.newman`;
  const options = ["-O", "parametersResolution=Example"];
  await run([bin("openapi2postmanv2"), "-s", file, "-o", collection, ...options], { cwd: HERE });
  const reporters = ["--reporters", "json", "--reporter-json-export", report];
  await run([bin("newman"), "run", collection, "--env-var", `baseUrl=${base}`, ...reporters], { cwd: HERE });
  interface Execution {
    readonly request: { readonly method: string; readonly url: { readonly path: readonly string[] } };
    readonly response: { readonly code: number };
  }
  const { executions } = (JSON.parse(readFileSync(report, "utf8")) as { run: { executions: Execution[] } }).run;
  const depth = new URL(base).pathname.split("/").length - 1;
  const rejected = executions
    .filter(({ response }) => response.code !== 200)
    .map(({ request, response }) => `${request.method} /${request.url.path.slice(depth).join("/")}: ${response.code}`);
  return { sent: executions.length, rejected };
}

/** Compares the responses with the document. */
export async function dredd({ file, base }: Target): Promise<Outcome> {
  const document = readFileSync(file, "utf8");
  // dredd fails with `unknown format "int64"`.
  const copy = `${file}.dredd.json`;
  writeFileSync(copy, document.replaceAll(/"format": "int(?:32|64)",?/g, ""));
  const { origin, pathname } = new URL(base);
  // dredd adds the `basePath` of Swagger 2.0, but not the path of `servers`.
  const endpoint = document.includes('"swagger"') ? origin : base;
  const options = ["--loglevel=warning", "--no-color", "--hookfiles=./dredd-hooks.cjs"];
  const { output } = await run([bin("dredd"), copy, endpoint, ...options], { cwd: HERE });
  const passed = output.match(/^pass: .*duration/gm) ?? [];
  const failed = [...output.matchAll(/^(?:fail|error): (\w+) \(200\) (\S+) duration.*\n(?:fail|error): (.*)$/gm)];
  const rejected = failed.map(([, method, path = "", reason]) => `${method} ${path.replace(pathname, "")}: ${reason}`);
  return { sent: passed.length + rejected.length, rejected };
}

/** Sends bodies of openapi-sampler. */
export async function openapiSampler({ file, base }: Target): Promise<Outcome> {
  const env = { BASE: base, DOCUMENT: file };
  const { output } = await run(["node", join(GENERATED, "openapi-sampler.mjs")], { cwd: HERE, env });
  return JSON.parse(output) as Outcome;
}

/** Sends the same through a Prism proxy, which validates requests and responses. */
export async function prism({ file, base }: Target): Promise<Outcome> {
  const port = String(await freePort());
  const proxy = new Program([bin("prism"), "proxy", file, base, "--errors", "--port", port], { cwd: HERE });
  try {
    await proxy.prints(/Prism is listening/);
    return await openapiSampler({ file, base: `http://127.0.0.1:${port}` });
  } finally {
    await proxy.stop();
  }
}
