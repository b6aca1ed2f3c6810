// Reads while others write. Every answer must be a success, and no read may mix two writes.
import { STATUSES, TAGS } from "./contents.ts";
import { succeed } from "../http.ts";
import { keyOf } from "./ledger.ts";
import type { Content, Ledger } from "./ledger.ts";
import { SHARED_IDS } from "./load.ts";
import { pick } from "./random.ts";
import type { Random } from "./random.ts";

type Pet = Content & { readonly id: number };

/** The result of a soak. */
export interface Reads {
  answers: number;
  readonly errors: string[];
}

/** Reads pets and lists with this many clients for this long. */
export async function soak(
  url: string,
  ledger: Ledger,
  random: Random,
  clients: number,
  milliseconds: number,
): Promise<Reads> {
  const end = Date.now() + milliseconds;
  const reads: Reads = { answers: 0, errors: [] };
  const read = async () => {
    const path = pathOf(random);
    const { json } = await succeed(url, `GET ${path}`);
    if (path === "/store/inventory") return;
    const pets = (Array.isArray(json) ? json : [json]) as Pet[];
    for (const { id, ...content } of pets) {
      if (!ledger.maybeSent(keyOf("pet", id), content)) {
        reads.errors.push(`nobody sent what ${path} shows: ${JSON.stringify({ id, ...content })}`);
      }
    }
  };
  const client = async () => {
    while (Date.now() < end) {
      await read().catch((error: unknown) => reads.errors.push(String(error)));
      reads.answers += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return reads;
}

function pathOf(random: Random): string {
  const chance = random();
  if (chance < 0.5) return `/pet/${pick(random, SHARED_IDS)}`;
  if (chance < 0.7) return "/store/inventory";
  if (chance < 0.85) return `/pet/findByStatus?status=${pick(random, STATUSES)}`;
  return `/pet/findByTags?tags=${encodeURIComponent(pick(random, TAGS))}`;
}
