// Sandboxes, beside the shared store.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { FaultRule, FaultState } from "../../src/sandbox/faults/contract.ts";
import type { StoreObject } from "../../src/sandbox/object.ts";
import type { Answer, Send } from "../client.ts";
import { prefixOf } from "../engine.ts";
import { clientWith } from "../fixtures.ts";
import type { Bindings, Surroundings } from "../fixtures.ts";
import { PNG, imageForm } from "../images.ts";

/** A sandbox, as tests use it. */
export interface Own {
  readonly name: string;
  /** Below `/stores/{store}/v2`. */
  readonly send: Send;
  /** Below `/stores/{store}`. */
  readonly manage: Send;
  readonly object: DurableObjectStub<StoreObject>;
  /** What its keys in R2 begin with. */
  readonly prefix: string;
}

/** A sandbox of its own name. Its first request makes it. */
export function newStore(
  bindings: Bindings = {},
  surroundings: Surroundings = {},
  name: string = crypto.randomUUID(),
): Own {
  const client = (base: string) => clientWith(bindings, { ...surroundings, base });
  return {
    name,
    send: client(`/stores/${name}/v2`),
    manage: client(`/stores/${name}`),
    object: env.STORES.getByName(name),
    prefix: prefixOf(env.STORES.getByName(name)),
  };
}

/** Sends a request outside `/v2`. */
export const sendOutside = (bindings: Bindings = {}, surroundings: Surroundings = {}): Send =>
  clientWith(bindings, { ...surroundings, base: "" });

/** Whether a sandbox exists. Asking does not make it. */
export async function exists({ manage }: Own): Promise<boolean> {
  const { status } = await manage("GET", "");
  expect([200, 404]).toContain(status);
  return status === 200;
}

/** What is left of a sandbox: the tables of its object, its alarm and its images. */
export async function leftOf({ object, prefix }: Own) {
  const [images, inObject] = await Promise.all([
    env.IMAGES.list({ prefix }),
    runInDurableObject(object, async (_, { storage }) => ({
      tables: storage.sql
        .exec("SELECT name FROM sqlite_schema WHERE name NOT GLOB '_cf_*'")
        .toArray()
        .map(({ name }) => name),
      alarm: await storage.getAlarm(),
    })),
  ]);
  return {
    images: images.objects.map(({ key }) => key),
    ...inObject,
  };
}

/** Nothing. */
export const NOTHING = { images: [], tables: [], alarm: null };

/** A sandbox with the classic data. */
export async function classicStore(...of: Parameters<typeof newStore>): Promise<Own> {
  const store = newStore(...of);
  expect((await store.manage("PUT", "/data", { json: { data: "classic" } })).status).toBe(204);
  return store;
}

/** A sandbox with so many pets. */
export async function storeOf(count: number): Promise<Own> {
  const store = newStore();
  await store.send("GET", "/store/inventory");
  await runInDurableObject(store.object, (_, { storage }) => {
    storage.sql.exec(
      `INSERT INTO pets (name, photoUrls, status)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT 'Rex', '"a.png"', 'sold' FROM n`,
      count,
    );
  });
  return store;
}

/** A client of a Worker with protected access that serves this sandbox instead of the shared store. */
export const localOf = ({ name }: Own): Send =>
  clientWith({ ACCESS: "protected", LOCAL_STORE: name } as Bindings, { base: "/v2" });

/** The smallest valid pet. */
export const PET = { name: "Rex", photoUrls: [] };

/** Uploads a file to pet 1 of a sandbox. @returns its path below `/stores/{store}/v2` */
export async function imageOf({ send }: Own, bytes = PNG): Promise<string> {
  const body = imageForm(new File([bytes], "rex.png"));
  expect((await send("POST", "/pet/1/uploadImage", { body })).status).toBe(200);
  const { photoUrls } = (await send("GET", "/pet/1")).json as { photoUrls: string[] };
  return String(photoUrls.at(-1)).split("/v2")[1] ?? "";
}

/** Sets the fault rules of a sandbox. */
export async function demand({ manage }: Own, ...json: unknown[]): Promise<void> {
  const answer = await manage("PUT", "/faults", { json });
  expect([answer.status, answer.json]).toEqual([204, undefined]);
}

/** The fault rules of a sandbox, as it shows them. */
export const shownOf = async ({ manage }: Own) =>
  (await manage("GET", "/faults")).json as (FaultRule & Omit<FaultState, "rule">)[];

/** Sends requests one after the other. @returns the statuses of their answers */
export async function inTurn(...requests: (() => Promise<Answer>)[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const request of requests) statuses.push((await request()).status);
  return statuses;
}

/** Sends the same request so many times. */
export async function repeat(times: number, request: () => Promise<Answer>): Promise<number[]> {
  return inTurn(...Array.from({ length: times }, () => request));
}
