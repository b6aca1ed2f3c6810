// Reads everything back while nobody writes, and compares it with the ledger.
import { STATUSES, TAGS } from "./contents.ts";
import { WrongAnswer, send, succeed } from "../http.ts";
import { canonical, keyOf } from "./ledger.ts";
import type { Content, Kind, Ledger, State, Verdict } from "./ledger.ts";

const AT_ONCE = 16;
const ORDER_IDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const PATHS: Readonly<Record<Kind, string>> = {
  pet: "/pet/",
  order: "/store/order/",
  user: "/user/",
};

type Wrong = Exclude<Verdict, "right">;

/** The result of an audit: a sentence for each finding. */
export type Findings = Readonly<Record<Wrong | "broken", string[]>> & {
  /** How many resources were read. */
  read: number;
};

type Pet = Content & { readonly id: number; readonly status?: string; readonly tags?: unknown };

/**
 * Audits the service, and settles the ledger.
 * @param all whether to look up every resource; otherwise only those written since the last audit and the pets in lists
 */
export async function audit(url: string, ledger: Ledger, all: boolean): Promise<Findings> {
  const findings: Findings = { lost: [], resurrected: [], torn: [], broken: [], read: 0 };
  const pets = await listedPets(url, findings);
  await checkLists(url, pets, findings);

  const listed = [...pets.keys()].map((id) => keyOf("pet", id));
  const orders = ORDER_IDS.map((id) => keyOf("order", id));
  const known = [...ledger.keys("pet"), ...ledger.keys("order"), ...ledger.keys("user")];
  const keys = new Set([...listed, ...orders, ...(all ? known : ledger.touched)]);
  const present = new Set<string>();
  const check = (key: string, shown: State) => {
    const verdict = ledger.judge(key, shown);
    if (verdict !== "right") findings[verdict].push(`${key} shows ${JSON.stringify(shown)}`);
    if (shown) present.add(key);
    ledger.settle(key, shown);
  };
  const waiting = keys.values();
  const work = async () => {
    for (const key of waiting) {
      findings.read += 1;
      const shown = await lookUp(url, key);
      const id = key.startsWith("pet/") ? Number(key.slice(4)) : undefined;
      if (id !== undefined && !sameContent(pets.get(id), shown)) {
        findings.broken.push(`${key} differs between its list and its look-up`);
      }
      check(key, shown);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // A pet that was not looked up is in no list, so it must be deleted.
  for (const key of ledger.keys("pet")) {
    if (!keys.has(key) && ledger.stateOf(key)) check(key, undefined);
  }
  for (const group of ledger.together) {
    const stored = group.filter((key) => present.has(key)).length;
    if (stored !== 0 && stored !== group.length) {
      findings.broken.push(`one request created ${group.join(", ")}, but only ${stored} exist`);
    }
  }
  ledger.forgetUnanswered();
  return findings;
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
async function listedPets(url: string, findings: Findings): Promise<Map<number, Content>> {
  const pets = new Map<number, Content>();
  let last = 0;
  for (const { id, ...content } of await list(
    url,
    `/pet/findByStatus?status=${STATUSES.join(",")}`,
  )) {
    if (id <= last) findings.broken.push(`pet/${id} is listed out of order`);
    last = id;
    pets.set(id, content);
  }
  return pets;
}

/** The inventory and each list must agree with the list of all pets. */
async function checkLists(
  url: string,
  pets: ReadonlyMap<number, Content>,
  { broken }: Findings,
): Promise<void> {
  const { json: inventory } = await succeed(url, "GET /store/inventory");
  for (const status of STATUSES) {
    const found = await list(url, `/pet/findByStatus?status=${status}`);
    const expected = idsOf(pets, (pet) => pet["status"] === status);
    expectIds(broken, `the list of ${status} pets`, found, expected);
    const counted = (inventory as Record<string, number>)[status];
    if (counted !== expected.length) {
      broken.push(`the inventory counts ${counted} ${status} pets of ${expected.length}`);
    }
  }
  for (const tag of TAGS) {
    const found = await list(url, `/pet/findByTags?tags=${encodeURIComponent(tag)}`);
    const expected = idsOf(pets, ({ tags }) =>
      (tags as { name: string }[]).some(({ name }) => name === tag),
    );
    expectIds(broken, `the list of pets with the tag ${tag}`, found, expected);
  }
}

const idsOf = (pets: ReadonlyMap<number, Content>, holds: (pet: Content) => boolean): number[] =>
  [...pets].filter(([, pet]) => holds(pet)).map(([id]) => id);

function expectIds(broken: string[], what: string, found: readonly Pet[], ids: readonly number[]) {
  const [actual, expected] = [found.map(({ id }) => id).join(), ids.join()];
  if (actual !== expected) broken.push(`${what} has ${actual} instead of ${expected}`);
}

function sameContent(listed: Content | undefined, found: State): boolean {
  if (!listed || !found) return !listed && !found;
  return canonical(listed) === canonical(found.content);
}
