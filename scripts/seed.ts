// `npm run seed`: creates the classic data in a running service, through its API. A second run changes nothing.
//
//   npm run seed -- --url https://petstore.example.com --api-key <key>
import { parseArgs } from "node:util";
import { CLASSIC } from "../src/sandbox/seed.ts";

const { values } = parseArgs({
  options: { url: { type: "string", default: "http://localhost:8787" }, "api-key": { type: "string" } },
});

const service = values.url.replace(/\/+$/, "");
if (!URL.canParse(service) || service.endsWith("/v2")) {
  console.error("--url must be the URL of the service without /v2, such as https://petstore.example.com");
  process.exit(2);
}
const key = values["api-key"];
const headers = { "Content-Type": "application/json", ...(key !== undefined && { "X-API-Key": key }) };

async function create(path: string, resources: readonly object[]): Promise<void> {
  let conflicts = 0;
  for (const resource of resources) {
    const body = JSON.stringify(resource);
    const response = await fetch(`${service}/v2${path}`, { method: "POST", headers, body });
    const text = await response.text();
    if (response.status === 409 || /already in use/.test(text)) conflicts++;
    else if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
  }
  const skipped = conflicts > 0 ? `; ${conflicts} skipped, because their IDs or usernames are already in use` : "";
  console.log(`${path}: ${resources.length - conflicts}${skipped}`);
}

try {
  await create("/pet", CLASSIC.pets);
  await create("/store/order", CLASSIC.orders);
  await create("/user", CLASSIC.users);
} catch (error) {
  const { message, cause } = error as Error;
  console.error(cause === undefined ? message : `${values.url}: ${message}`);
  process.exitCode = 1;
}
