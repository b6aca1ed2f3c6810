import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GENERATED, runCommand } from "./command.ts";
import { COLLECTION } from "./generators.ts";

const REQUESTS = 21;

/** An example cannot hold a file, nor the name that the service gives to one. */
const OF_FILES: Readonly<Record<string, number>> = {
  "Upload an image of a pet": 400,
  "Get an image of a pet": 404,
};

interface Report {
  readonly run: {
    readonly executions: readonly {
      readonly item: { readonly name: string };
      readonly response?: { readonly code: number };
    }[];
  };
}

/**
 * Makes a Postman collection of openapi.json, and sends it as generated, in order.
 * @param origin of a server with an empty store
 * @throws Error where a request does not get 200, but for those that have to do with a file
 */
export async function checkCollection(origin: string): Promise<void> {
  await runCommand(COLLECTION, GENERATED);
  const report = join(GENERATED, "newman.json");
  const to = `--env-var baseUrl=${origin}/v2`;
  await runCommand(
    `newman run petstore.postman.json ${to} -r json --reporter-json-export newman.json`,
    GENERATED,
  );
  const { executions } = (JSON.parse(readFileSync(report, "utf8")) as Report).run;
  const others = executions
    .map(({ item, response }) => ({ name: item.name, status: response?.code }))
    .filter(({ name, status }) => status !== (OF_FILES[name] ?? 200));
  if (others.length > 0 || executions.length !== REQUESTS) {
    throw new Error(`Postman, of ${executions.length} requests: ${JSON.stringify(others)}`);
  }
  const files = Object.keys(OF_FILES).length;
  console.log(`ok  Postman: ${REQUESTS - files} of ${REQUESTS} requests succeed as generated`);
}
