import { and, between, eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { conditionValues, matchesConditions, type Conditions } from "../db/conditions.ts";
import { retry } from "../db/retry.ts";
import { pets } from "../db/schema.ts";
import { columns, type PetRow } from "./queries.ts";
import { MAX_PHOTO_URLS, MAX_PHOTO_URLS_TEXT } from "./schemas.ts";

/**
 * The maximum number of updates of a pet during an upload. A new pet's version is one of 2^48 random numbers, and each update adds
 * one, so a pet that is deleted and created again during the upload is mistaken for the same pet once in 280 million times.
 */
const MAX_UPDATES = 1_000_000;

const isArray = sql`json_type(${pets.photoUrls}) = 'array'`;
const urlText = sql`(${pets.photoUrls} ->> '$')`;

/** Returns SQL for `photoUrls` with another URL. */
const appendUrl = (url: string) =>
  sql`iif(${isArray}, json_insert(${pets.photoUrls}, '$[#]', ${url}), json_quote(${urlText} || ',' || ${url}))`;

/** Returns SQL for whether a PUT would accept `photoUrls` with another URL: 1 or 0. */
const hasRoom = (url: string) => sql`iif(
  ${isArray},
  json_array_length(${pets.photoUrls}) < ${MAX_PHOTO_URLS},
  length(${urlText}) - length(replace(${urlText}, ',', '')) + 1 < ${MAX_PHOTO_URLS}
    and length(${urlText} || ',' || ${url}) <= ${MAX_PHOTO_URLS_TEXT}
)`;

/**
 * Appends a URL to `photoUrls`, whichever form they have.
 * @param found the pet as it was read
 * @returns `undefined` if the pet was deleted or does not match the conditions, "full" if it has no room for another URL
 */
export async function addPhotoUrl(
  db: Database,
  found: PetRow,
  url: string,
  conditions: Conditions,
): Promise<PetRow | "full" | undefined> {
  const append = async () =>
    db
      .update(pets)
      .set({
        photoUrls: sql`iif(${hasRoom(url)}, ${appendUrl(url)}, ${pets.photoUrls})`,
        version: sql`${pets.version} + ${hasRoom(url)}`,
      })
      .where(
        and(
          eq(pets.id, found.id),
          between(pets.version, found.version, found.version + MAX_UPDATES),
          matchesConditions(pets),
        ),
      )
      .returning(columns)
      .prepare()
      .get(conditionValues(conditions));
  // A second attempt could append the URL twice.
  const row = await retry(append, 1);
  return row && !row.photoUrls.includes(url) ? "full" : row;
}
