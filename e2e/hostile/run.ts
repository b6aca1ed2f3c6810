// `npm run test:hostile`: sends the requests of catalogue.ts as raw bytes to a server, and compares each answer with
// the expected one. The server is its own, or the one at the origin that you give as an argument. It first uses the
// shared store, then a store of its own.
import { catalogue } from "./catalogue.ts";
import { ORDER, PET, PETS, USER } from "./given.ts";
import { run } from "./exchange.ts";
import type { Target } from "./exchange.ts";
import { withServer } from "../server.ts";

/** The number of cases that run at once. Most of them wait for the server, and the slow ones wait on purpose. */
const AT_ONCE = 16;
const cases = Object.entries(catalogue).flatMap(([part, list]) =>
  list.map((hostile) => ({ part, hostile })),
);

/** Stores what the cases must leave as it is. */
async function prepare(origin: string, base: string): Promise<Target> {
  const send = async (method: string, path: string, body?: object | FormData) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${origin}${base}${path}`, {
      method,
      ...(!isForm && { headers: { "Content-Type": "application/json" } }),
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const create = async (path: string, body: object | FormData) => {
    const { status, text } = await send("POST", path, body);
    if (status !== 200) throw new Error(`POST ${path} is answered ${status}: ${text}`);
  };
  // Left over from another run.
  for (const { id } of PETS) await send("DELETE", `/pet/${id}`);
  for (const pet of PETS) await create("/pet", pet);
  await create("/store/order", ORDER);
  await create("/user", USER);
  const form = new FormData();
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  form.set("file", new File([png], "kept.png"));
  await create(`/pet/${PET.id}/uploadImage`, form);
  const { text } = await send("GET", `/pet/${PET.id}`);
  const image = (JSON.parse(text) as { photoUrls: string[] }).photoUrls.at(-1) ?? "";
  const inventory = (await send("GET", "/store/inventory")).text;
  return { origin: new URL(origin), base, image, inventory };
}

/** Sends the whole catalogue. @returns the faults, a line each */
async function attack(origin: string, base: string): Promise<string[]> {
  const target = await prepare(origin, base);
  const faults: string[] = [];
  const waiting = cases.values();
  const worker = async () => {
    for (const { part, hostile } of waiting) {
      const found = await run(hostile, target);
      if (found.length > 0) faults.push(`${base}: ${part}: ${hostile.name}: ${found.join("; ")}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return faults;
}

const began = performance.now();
const [given] = process.argv.slice(2);
const attackBoth = async (origin: string) => [
  ...(await attack(origin, "/v2")),
  ...(await attack(origin, `/stores/${crypto.randomUUID()}/v2`)),
];
const faults = await (given === undefined ? withServer(attackBoth) : attackBoth(given));
for (const fault of faults) console.error(fault);
const byService = cases.filter(({ hostile }) => hostile.by === "service").length;
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(
  `${cases.length} hostile cases on either store, ${byService} by the service, ${cases.length - byService} by the runtime: ${faults.length} failed, in ${seconds} s`,
);
if (faults.length > 0) process.exitCode = 1;
