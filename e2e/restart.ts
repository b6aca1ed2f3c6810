// Kills the server, with SIGKILL, while clients write, and starts it again on the same folder. Nothing that it acknowledged
// may be lost, nothing may be half done, and ids are not used twice.
import { deepEqual, equal, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { leavesNothing, processesWith, send, startPackage, startServer, temporaryFolder } from "./server.ts";

const CLIENTS = 8;
/** How much is acknowledged before the kill, at least. */
const ENOUGH = 200;

interface Pet {
  readonly id: number;
  readonly name: string;
  readonly photoUrls: readonly string[];
  readonly status?: string;
}

/** The pets as the service acknowledged them last; `undefined` for a deleted one. */
const acknowledged = new Map<number, Pet | undefined>();
/** Pets with a change in flight when the server was killed. Either state is right. */
const inFlight = new Map<number, Pet | undefined>();
/** Sandboxes, with the number of orders that they acknowledged. */
const sandboxes = new Map<string, number>();

/** Adds, changes and deletes pets until the server is killed. */
async function write(origin: string, client: number): Promise<void> {
  const pets = `${origin}/v2/pet`;
  for (let count = 0; ; count++) {
    const name = `pet ${count} of client ${client}`;
    const added = await send("POST", pets, { name, photoUrls: [], status: "available" });
    equal(added.status, 200);
    const pet = (await added.json()) as Pet;
    ok(!acknowledged.has(pet.id), `the id ${pet.id} is used twice`);
    acknowledged.set(pet.id, pet);
    const changed = count % 3 === 1 ? { ...pet, status: "sold" } : undefined;
    if (count % 3 === 0) continue;
    inFlight.set(pet.id, changed);
    const { status } = changed ? await send("PUT", pets, changed) : await send("DELETE", `${pets}/${pet.id}`);
    equal(status, 200);
    acknowledged.set(pet.id, changed);
    inFlight.delete(pet.id);
  }
}

/** Places orders in a sandbox until the server is killed. */
async function order(origin: string): Promise<void> {
  const made = (await (await send("POST", `${origin}/sandboxes`)).json()) as {
    readonly name: string;
  };
  for (let count = 0; ; count++) {
    sandboxes.set(made.name, count);
    const url = `${origin}/sandboxes/${made.name}/v2/store/order`;
    equal((await send("POST", url, { quantity: count })).status, 200);
  }
}

interface Server {
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/** Kills a server while clients write, and checks what the next one on the same folder has. */
async function survives(name: string, start: () => Promise<Server & { readonly kill: () => Promise<void> }>) {
  for (const kept of [acknowledged, inFlight, sandboxes]) kept.clear();
  const { origin, kill } = await start();
  const clients = Array.from({ length: CLIENTS }, async (_, client) =>
    (client < 2 ? order(origin) : write(origin, client)).catch((error: unknown) => {
      // The kill ends every client.
      if (!(error instanceof TypeError)) throw error;
    }),
  );
  while (acknowledged.size < ENOUGH) await Promise.race([sleep(20), ...clients]);
  await kill();
  await Promise.all(clients);

  const { origin: again, stop } = await start();
  const inventory = { available: 0, pending: 0, sold: 0 };
  for (const [id, expected] of acknowledged) {
    const response = await fetch(`${again}/v2/pet/${id}`);
    const found = response.ok ? ((await response.json()) as Pet) : undefined;
    const other = inFlight.has(id) && found?.status !== expected?.status;
    deepEqual(found, other ? inFlight.get(id) : expected, `pet ${id}`);
  }
  // Pets whose creation was in flight may be there too.
  const all = await fetch(`${again}/v2/pet/findByStatus?status=available,pending,sold`);
  const listed = (await all.json()) as Required<Pet>[];
  for (const { status } of listed) inventory[status as keyof typeof inventory] += 1;
  const counted = await (await fetch(`${again}/v2/store/inventory`)).json();
  deepEqual(counted, inventory);
  const next = await send("POST", `${again}/v2/pet`, { name: "next", photoUrls: [] });
  const { id } = (await next.json()) as Pet;
  ok(id > Math.max(...acknowledged.keys(), ...listed.map((pet) => pet.id)), `the next id is ${id}`);
  for (const [sandbox, count] of sandboxes) {
    const response = await fetch(`${again}/sandboxes/${sandbox}/data`);
    const { orders } = (await response.json()) as { readonly orders: readonly unknown[] };
    ok([count, count + 1].includes(orders.length), `${orders.length} orders instead of ${count}`);
  }
  console.log(`ok  ${name}: ${acknowledged.size} pets and ${[...sandboxes.values()].join(" + ")} orders survive`);
  await stop();
}

const folder = temporaryFolder();
await survives("npm start", async () => {
  const { program, origin } = await startServer({ folder });
  const kill = async () => {
    program.signal("SIGKILL");
    await program.ended;
  };
  return { origin, kill, stop: async () => program.stop() };
});

const keep = temporaryFolder();
const MARK = `e2e-${randomUUID()}`;
await survives("the package", async () => {
  const { program, origin } = await startPackage(["--empty", "--keep", keep], { MARK });
  const kill = async () => {
    // The server and workerd have a process group of their own.
    for (const pid of processesWith(MARK)) process.kill(Number(pid), "SIGKILL");
    await leavesNothing(MARK);
  };
  return { origin, kill, stop: async () => program.stop() };
});
