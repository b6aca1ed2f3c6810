// `npm run seed`: creates the data of the classic Petstore in a running server, through its HTTP API. Each resource
// has a fixed id or name, so a second run changes nothing.
//
//   npm run seed -- --url http://127.0.0.1:8787    another server than the local default
//   npm run seed -- --api-key <key>                for a server with protected access
import { parseArgs } from "node:util";
import { CLASSIC } from "../src/sandbox/classic.ts";
import { CommandError, endWith } from "./command.ts";

const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8787" },
    "api-key": { type: "string" },
  },
});
const base = `${options.url.replace(/\/+$/, "")}/v2`;
const credentials = options["api-key"] === undefined ? {} : { api_key: options["api-key"] };

/** @returns whether the service has the resource now; not if another resource has its id or name */
async function create(path: string, resource: object): Promise<boolean> {
  const response = await fetch(`${base}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...credentials },
    body: JSON.stringify(resource),
  });
  const text = await response.text();
  if (response.ok) return true;
  if (response.status === 401) throw new CommandError("Access is protected: give an --api-key.");
  const taken = text.includes("is taken by another") || response.status === 409;
  if (!taken) throw new Error(`POST ${path} was answered ${response.status}: ${text}`);
  return false;
}

async function createAll(what: string, path: string, resources: readonly object[]): Promise<void> {
  let kept = 0;
  for (const resource of resources) if (!(await create(path, resource))) kept++;
  const left = kept > 0 ? `, ${kept} left as they are: their ids or names belong to others` : "";
  console.log(`${resources.length - kept} ${what}${left}`);
}

try {
  await createAll("pets", "/pet", CLASSIC.pets);
  await createAll("orders", "/store/order", CLASSIC.orders);
  await createAll("users", "/user", CLASSIC.users);
} catch (error) {
  endWith(error, options.url);
}
