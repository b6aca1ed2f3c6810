// Long lists of pets: what fills them, and what reads them.
import { env } from "cloudflare:workers";
import type { Pet } from "../../src/pet/pet.ts";
import { createWorker } from "../../src/worker.ts";
import type { Answer } from "../client.ts";
import { uniqueId } from "../fixtures.ts";
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
export const nextOf = ({ headers }: Answer): string | undefined =>
  new RegExp(`^<${basePath}(/[^>]+)>; rel="next"$`).exec(headers.get("link") ?? "")?.[1];

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
