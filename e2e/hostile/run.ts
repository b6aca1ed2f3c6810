// `npm run test:hostile`: sends the requests of cases/ as raw bytes to a server, and compares each answer with
// the expected one. The server is its own, or the one at the origin that you give as an argument. It first uses the
// shared store, then a store of its own.
import { canaries } from "./cases/canaries.ts";
import { clients } from "./cases/clients.ts";
import { framing } from "./cases/framing.ts";
import { headers } from "./cases/headers.ts";
import { runtime, tidied } from "./cases/runtime.ts";
import { ORDER, PET, PETS, USER } from "./given.ts";
import { run } from "./exchange.ts";
import type { Target } from "./exchange.ts";
import { imageForm, send, succeed } from "../http.ts";
import { withServer } from "../server.ts";

/** The number of cases that run at once. Most of them wait for the server, and the slow ones wait on purpose. */
const AT_ONCE = 16;
const cases = Object.entries({ canaries, headers, framing, clients, runtime, tidied }).flatMap(
  ([part, list]) => list.map((hostile) => ({ part, hostile })),
);

/** Stores what the cases must leave as it is. */
async function prepare(origin: string, base: string): Promise<Target> {
  const url = `${origin}${base}`;
  // Left over from another run.
  for (const { id } of PETS) await send(url, `DELETE /pet/${id}`);
  for (const pet of PETS) await succeed(url, "POST /pet", { json: pet });
  await succeed(url, "POST /store/order", { json: ORDER });
  await succeed(url, "POST /user", { json: USER });
  await succeed(url, `POST /pet/${PET.id}/uploadImage`, { body: imageForm() });
  const { json } = await send(url, `GET /pet/${PET.id}`);
  const image = (json as { photoUrls: string[] }).photoUrls.at(-1) ?? "";
  const { text: inventory } = await send(url, "GET /store/inventory");
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
