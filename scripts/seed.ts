// `npm run seed`: puts the classic Petstore's data into a running server, through its HTTP API.
//
//   npm run seed -- --url http://127.0.0.1:8787    another server than the local default
//   npm run seed -- --api-key <key>                where access is protected
//   npm run seed -- --pets 100000                  and as many generated pets
// Each resource has a fixed id or name. So a second run changes nothing, and a new run continues where an interrupted
// one stopped.
import { parseArgs } from "node:util";
import { CATEGORIES, CLASSIC, tags } from "../src/sandbox/classic.ts";
import { CommandError, endWith } from "./command.ts";

/** The first id of generated pets. The service itself will not generate such large ids for a long time. */
const FIRST_GENERATED_ID = 1_000_001;
/** The number of requests at the same time. */
const CONCURRENCY = 32;
const REPORT_MS = 5000;

const { values: options } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8787" },
    "api-key": { type: "string" },
    pets: { type: "string", default: "0" },
  },
});
const base = `${options.url.replace(/\/+$/, "")}/v2`;
const credentials = options["api-key"] === undefined ? {} : { api_key: options["api-key"] };
const generated = Number(options.pets);

const STATUSES = ["available", "pending", "sold"] as const;

function generatedPet(index: number) {
  const category = CATEGORIES[index % CATEGORIES.length];
  return {
    id: FIRST_GENERATED_ID + index,
    category,
    name: `${category?.name.slice(0, -1)} ${index + 1}`,
    photoUrls: [`https://pets.example/${index + 1}.png`],
    tags: tags((index % 10) + 1, ((index * 7) % 100) + 11),
    status: STATUSES[index % STATUSES.length],
  };
}

/** Creates a resource. @returns whether the service has it now. It does not if another resource has its id or name */
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
  const left = kept > 0 ? `, ${kept} left as somebody else made them` : "";
  console.log(`${resources.length - kept} ${what}${left}`);
}

/** How many generated pets exist already. They are created in order, so this is a binary search. */
async function countGenerated(): Promise<number> {
  let [low, high] = [0, generated];
  while (low < high) {
    const middle = (low + high) >> 1;
    const response = await fetch(`${base}/pet/${FIRST_GENERATED_ID + middle}`);
    await response.body?.cancel();
    if (response.ok) low = middle + 1;
    else high = middle;
  }
  // An interrupted run may not have finished the requests that were in progress.
  return Math.max(0, low - CONCURRENCY);
}

async function createGenerated(): Promise<void> {
  const first = await countGenerated();
  if (first > 0) console.log(`continuing after ${first} generated pets`);
  let next = first;
  const work = async () => {
    while (next < generated) await create("/pet", generatedPet(next++));
  };
  const report = setInterval(() => console.log(`${next} of ${generated}`), REPORT_MS);
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  } finally {
    clearInterval(report);
  }
  console.log(`${generated} generated pets`);
}

try {
  if (!Number.isSafeInteger(generated) || generated < 0) {
    throw new CommandError("--pets takes a whole number.");
  }
  await createAll("pets", "/pet", CLASSIC.pets);
  await createAll("orders", "/store/order", CLASSIC.orders);
  await createAll("users", "/user", CLASSIC.users);
  if (generated > 0) await createGenerated();
} catch (error) {
  endWith(error, options.url);
}
