import * as v from "valibot";
import type { Database } from "../db/client.ts";
import type { Bound } from "../db/statement.ts";
import { ApiError, fieldErrors } from "../http/errors.ts";
import type { FieldError } from "../http/errors.ts";
import { JsonText } from "../http/json-text.ts";
import { allPets, insertionsOfPets } from "../pet/queries.ts";
import { asSent } from "../pet/show.ts";
import type { PasswordKeys } from "../platform/settings.ts";
import { allOrders, insertionsOfOrders } from "../store/queries.ts";
import { allUsers, insertionsOfUsers } from "../user/queries.ts";
import { sealUsers } from "../user/passwords.ts";
import { revealUser } from "../user/show.ts";
import { CLASSIC } from "./classic.ts";
import { Data, StatedData, putStoreData } from "./contract.ts";
import type { Content } from "./contract.ts";

/** The classic data as a request would have it. Parsed when first used. */
let classic: Data | undefined;

/** The resources of a request: those of a named set, or its own. */
function resourcesOf(stated: Data): Pick<Data, "pets" | "orders" | "users"> {
  return stated.data === "classic" ? (classic ??= v.parse(Data, CLASSIC)) : stated;
}

/** Members that must be unique in a sandbox. */
const UNIQUE = [
  ["pets", "id"],
  ["orders", "id"],
  ["users", "id"],
  ["users", "username"],
] as const;

/** The duplicates in the data, as the errors of an answer. */
export function duplicatesIn(stated: Data): readonly FieldError[] {
  return UNIQUE.flatMap(([kind, member]) => {
    const seen = new Set<unknown>();
    const items: readonly Readonly<Partial<Record<string, unknown>>>[] = stated[kind] ?? [];
    return items.flatMap(({ [member]: value }, index) => {
      const isDuplicate = value !== undefined && seen.has(value);
      seen.add(value);
      const path = `${kind}.${index}.${member}`;
      return isDuplicate ? [{ path, message: "is a duplicate: another one has it" }] : [];
    });
  });
}

/** The statements that put this data into an empty sandbox. The data has no duplicates. */
export async function insertionsOf(
  stated: Data,
  keys: PasswordKeys,
): Promise<readonly Bound<unknown>[]> {
  const { pets = [], orders = [], users = [] } = resourcesOf(stated);
  return [
    ...insertionsOfPets(pets),
    ...insertionsOfOrders(orders),
    ...insertionsOfUsers(await sealUsers(keys, users)),
  ];
}

/** The initial data of a sandbox: statements, and its name if it is a named set. */
export interface Filling extends Pick<Data, "data"> {
  readonly statements: readonly Bound<unknown>[];
}

/**
 * Prepares the initial data of a sandbox.
 * @param text JSON like the body of `PUT …/data`
 * @throws ApiError 400
 */
export async function fillingOf(text: string, keys: PasswordKeys): Promise<Filling> {
  const schema = v.pipe(v.string(), v.parseJson(undefined, "is not JSON"), StatedData);
  const parsed = v.safeParse(schema, text, { abortPipeEarly: true });
  const errors = parsed.success ? duplicatesIn(parsed.output) : fieldErrors(parsed.issues, "body");
  if (!parsed.success || errors.length > 0) {
    throw new ApiError(putStoreData.errors.invalid, { errors });
  }
  return { data: parsed.output.data, statements: await insertionsOf(parsed.output, keys) };
}

/** Everything that a sandbox holds, as `Data` for another one. */
export async function dataOf(db: Database, keys: PasswordKeys): Promise<JsonText<Content>> {
  const [pets, orders, users] = await db.batch(
    [allPets({}), allOrders.statement({}), allUsers.statement({})],
    { repeatable: true },
  );
  const shown = await Promise.all(
    users.map(async (row) => revealUser(allUsers.fromRow(row), keys)),
  );
  return new JsonText(
    `{"pets":[${pets.map((row) => asSent(row).text).join(",")}],` +
      `"orders":${JSON.stringify(orders.map((row) => allOrders.fromRow(row).order))},` +
      `"users":${JSON.stringify(shown)}}`,
  );
}
