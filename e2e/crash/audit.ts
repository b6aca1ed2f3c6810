// Reads everything back while nobody writes, and compares it with the ledger.
import { STATUSES, TAGS } from "./contents.ts";
import { WrongAnswer, send, succeed } from "../http.ts";
import { canonical, keyOf } from "./ledger.ts";
import type { Content, Kind, Ledger, State } from "./ledger.ts";

const AT_ONCE = 16;
const ORDER_IDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const PATHS: Readonly<Record<Kind, string>> = {
  pet: "/pet/",
  order: "/store/order/",
  user: "/user/",
};

/** The result of an audit. */
export interface Audit {
  /** How many resources were read. */
  readonly read: number;
  /** A sentence for each. */
  readonly faults: readonly string[];
}

type Pet = Content & { readonly id: number; readonly status?: string; readonly tags?: unknown };

/** Looks up every resource that was ever written or is listed, and settles the ledger. */
export async function audit(url: string, ledger: Ledger): Promise<Audit> {
  const faults: string[] = [];
  const pets = await listedPets(url, faults);
  await checkLists(url, pets, faults);

  const listed = [...pets.keys()].map((id) => keyOf("pet", id));
  const orders = ORDER_IDS.map((id) => keyOf("order", id));
  const keys = new Set([...listed, ...orders, ...ledger.keys]);
  const present = new Set<string>();
  const waiting = keys.values();
  const work = async () => {
    for (const key of waiting) {
      const shown = await lookUp(url, key);
      if (shown) present.add(key);
      const [kind, id] = key.split("/");
      if (kind === "pet" && !sameContent(pets.get(Number(id)), shown)) {
        faults.push(`${key} differs between its list and its look-up`);
      }
      const verdict = ledger.judge(key, shown);
      if (verdict !== "right") faults.push(`${verdict}: ${key} shows ${JSON.stringify(shown)}`);
      ledger.settle(key, shown);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const group of ledger.together) {
    const stored = group.filter((key) => present.has(key)).length;
    if (stored !== 0 && stored !== group.length) {
      faults.push(`one request created ${group.join(", ")}, but only ${stored} exist`);
    }
  }
  ledger.forgetUnanswered();
  return { read: keys.size, faults };
}

/** Looks up a resource and its mark. @throws WrongAnswer unless the answer is 200 or 404 */
async function lookUp(url: string, key: string): Promise<State> {
  const [kind = "", name = ""] = key.split("/");
  const target = `GET ${PATHS[kind as Kind]}${name}`;
  const { status, text, json, etag } = await send(url, target);
  if (status === 404) return undefined;
  if (status !== 200) throw new WrongAnswer(`${target} got ${status}: ${text}`);
  const { id, ...content } = json as { id: number };
  if (kind === "user") return { content, mark: String(id) };
  return { content, mark: kind === "pet" ? etag : undefined };
}

async function list(url: string, path: string): Promise<Pet[]> {
  return (await succeed(url, `GET ${path}`)).json as Pet[];
}

/** All pets by id. Every written pet has a status. */
async function listedPets(url: string, faults: string[]): Promise<Map<number, Content>> {
  const pets = await list(url, `/pet/findByStatus?status=${STATUSES.join(",")}`);
  pets.reduce((last, { id }) => {
    if (id <= last) faults.push(`pet/${id} is listed out of order`);
    return id;
  }, 0);
  return new Map(pets.map(({ id, ...content }) => [id, content]));
}

/** The inventory and each list must agree with the list of all pets. */
async function checkLists(
  url: string,
  pets: ReadonlyMap<number, Content>,
  faults: string[],
): Promise<void> {
  const { json: inventory } = await succeed(url, "GET /store/inventory");
  for (const status of STATUSES) {
    const found = await list(url, `/pet/findByStatus?status=${status}`);
    const expected = idsOf(pets, (pet) => pet["status"] === status);
    expectIds(faults, `the list of ${status} pets`, found, expected);
    const counted = (inventory as Record<string, number>)[status];
    if (counted !== expected.length) {
      faults.push(`the inventory counts ${counted} ${status} pets of ${expected.length}`);
    }
  }
  for (const tag of TAGS) {
    const found = await list(url, `/pet/findByTags?tags=${encodeURIComponent(tag)}`);
    const expected = idsOf(pets, ({ tags }) =>
      (tags as { name: string }[]).some(({ name }) => name === tag),
    );
    expectIds(faults, `the list of pets with the tag ${tag}`, found, expected);
  }
}

const idsOf = (pets: ReadonlyMap<number, Content>, holds: (pet: Content) => boolean): number[] =>
  [...pets].filter(([, pet]) => holds(pet)).map(([id]) => id);

function expectIds(faults: string[], what: string, found: readonly Pet[], ids: readonly number[]) {
  const [actual, expected] = [found.map(({ id }) => id).join(), ids.join()];
  if (actual !== expected) faults.push(`${what} has ${actual} instead of ${expected}`);
}

function sameContent(listed: Content | undefined, found: State): boolean {
  if (!listed || !found) return !listed && !found;
  return canonical(listed) === canonical(found.content);
}
