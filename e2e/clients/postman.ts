import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GENERATED, runCommand } from "./command.ts";
import { COLLECTION } from "./generators.ts";

const REQUESTS = 21;

/** An example has neither a file nor the name that the service gives to an image. */
const EXCEPTIONS: Readonly<Record<string, number>> = {
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
 * Converts openapi.json to a Postman collection and sends its requests in order.
 * @param url of an empty store, with the base path
 * @throws Error if one of the others does not get 200
 */
export async function checkCollection(url: string): Promise<void> {
  await runCommand(COLLECTION, GENERATED);
  const report = join(GENERATED, "newman.json");
  const to = `--env-var baseUrl=${url}`;
  await runCommand(
    `newman run petstore.postman.json ${to} -r json --reporter-json-export newman.json`,
    GENERATED,
  );
  const { executions } = (JSON.parse(readFileSync(report, "utf8")) as Report).run;
  const others = executions
    .map(({ item, response }) => ({ name: item.name, status: response?.code }))
    .filter(({ name, status }) => status !== (EXCEPTIONS[name] ?? 200));
  if (others.length > 0 || executions.length !== REQUESTS) {
    throw new Error(`Postman sent ${executions.length} requests; wrong: ${JSON.stringify(others)}`);
  }
  const files = Object.keys(EXCEPTIONS).length;
  console.log(`ok  Postman: ${REQUESTS - files} of ${REQUESTS} requests succeed as generated`);
}
