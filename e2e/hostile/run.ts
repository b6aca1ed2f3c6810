// `npx node e2e/hostile/run.ts [origin]`: sends the requests of cases/ as raw bytes to a server, first to the shared store and
// then to a sandbox. Without an origin, it starts a server. Ends with exit status 1 at a wrong answer.
import { bodies } from "./cases/bodies.ts";
import { clients } from "./cases/clients.ts";
import { headers } from "./cases/headers.ts";
import { targets } from "./cases/targets.ts";
import { PET, PETS } from "./given.ts";
import { run } from "./exchange.ts";
import type { Target } from "./exchange.ts";
import { imageForm, send, succeed } from "../http.ts";
import { withServer } from "../server.ts";

/** How many cases run at once. Slow clients mostly wait. */
const AT_ONCE = 16;
const cases = Object.entries({ targets, headers, bodies, clients }).flatMap(([part, list]) =>
  list.map((hostile) => ({ part, hostile })),
);

/** Stores the data that the cases must not change. */
async function prepare(origin: string, base: string): Promise<Target> {
  const url = `${origin}${base}`;
  // An earlier run may have left them.
  for (const { id } of PETS) await send(url, `DELETE /pet/${id}`);
  for (const pet of PETS) await succeed(url, "POST /pet", { json: pet });
  await succeed(url, `POST /pet/${PET.id}/uploadImage`, { body: imageForm() });
  const { json } = await send(url, `GET /pet/${PET.id}`);
  const image = (json as { photoUrls: string[] }).photoUrls.at(-1) ?? "";
  const { text: inventory } = await send(url, "GET /store/inventory");
  return { origin: new URL(origin), base, image, inventory };
}

/** Sends all cases. @returns the faults, a line each */
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
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(
  `${cases.length} hostile cases on the shared store and on a sandbox: ${faults.length} failed, in ${seconds} s`,
);
if (faults.length > 0) process.exitCode = 1;
