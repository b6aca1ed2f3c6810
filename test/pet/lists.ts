// Long lists of pets: what fills them, and what reads them.
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Pet } from "../../src/pet/pet.ts";
import { createWorker } from "../../src/worker.ts";
import type { Answer } from "../client.ts";
import { clientWith, uniqueId } from "../fixtures.ts";
import { Calls, databaseThrough } from "../bindings.ts";
import { basePath, database } from "../engine.ts";

/** Expressions of SQL in which `i` counts the pets from 0, and the first id. */
interface Stored {
  readonly tags?: string;
  readonly status?: string;
  readonly first?: number;
}

/** Stores pets by SQL, with ids in a row. @returns the ids */
export async function storePets(
  count: number,
  { tags = "NULL", status = "NULL", first = uniqueId() * 1000 }: Stored,
): Promise<number[]> {
  await database
    .prepare(
      `INSERT INTO pets (id, name, photoUrls, tags, status)
       WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
       SELECT ?2 + i, 'Pet', '"a.png"', ${tags}, ${status} FROM n`,
    )
    .bind(count, first)
    .run();
  return Array.from({ length: count }, (_, index) => first + index);
}

export const idsOf = (json: unknown): number[] => (json as Pet[]).map(({ id }) => id);

/** The path of the next page, below the base path. */
const nextOf = ({ headers }: Answer): string | undefined =>
  new RegExp(`^<${basePath}(/[^>]+)>; rel="next"$`).exec(headers.get("link") ?? "")?.[1];

/** A page of a list. */
interface Walked {
  readonly ids: readonly number[];
  readonly bytes: number;
}

/** Walks a list by its links. Each page is one query. */
export async function walk(list: string): Promise<Walked[]> {
  const pages: Walked[] = [];
  let next: string | undefined = list;
  while (next !== undefined) {
    const calls = new Calls();
    const answer: Answer = await clientWith(databaseThrough(calls))("GET", next);
    expect(answer.status).toBe(200);
    expect(calls.count).toBe(1);
    pages.push({
      ids: idsOf(answer.json),
      bytes: new TextEncoder().encode(answer.text).byteLength,
    });
    next = nextOf(answer);
  }
  return pages;
}

/** The stream of a list, and the calls to the store that it makes. */
export async function openList(list: string) {
  const calls = new Calls();
  const response = await createWorker().fetch(
    new Request(`http://petstore.test${basePath}${list}`),
    { ...env, ...databaseThrough(calls) },
  );
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  return { calls, reader };
}
