import * as v from "valibot";
import type { Database } from "../db/client.ts";
import type { Bound } from "../db/statement.ts";
import { ApiError, fieldErrors } from "../http/errors.ts";
import type { FieldError } from "../http/errors.ts";
import { allPets, insertionsOfPets } from "../pet/queries.ts";
import { asSent } from "../pet/show.ts";
import { utf8 } from "../platform/crypto.ts";
import type { PasswordKeys } from "../platform/settings.ts";
import { allOrders, insertionsOfOrders } from "../store/queries.ts";
import { allUsers, insertionsOfUsers } from "../user/queries.ts";
import { sealUsers } from "../user/passwords.ts";
import { revealUser } from "../user/show.ts";
import { CLASSIC } from "./classic.ts";
import { Data, StatedData, putStoreData } from "./contract.ts";

/** The classic data as a request would have it. Parsed when first used. */
let classic: Data | undefined;

/** The resources of a request: those of a named set, or its own. */
function resourcesOf(stated: Data): Pick<Data, "pets" | "orders" | "users"> {
  return stated.data === "classic"
    ? (classic ??= v.safeParse(Data, CLASSIC).output as Data)
    : stated;
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
  const parsed = v.safeParse(StatedData, jsonOf(text), { abortPipeEarly: true });
  const errors = parsed.success ? duplicatesIn(parsed.output) : fieldErrors(parsed.issues, "body");
  if (!parsed.success || errors.length > 0) {
    throw new ApiError(putStoreData.errors.invalid, { errors });
  }
  return { data: parsed.output.data, statements: await insertionsOf(parsed.output, keys) };
}

/** The value of a JSON text; `undefined`, which is no data, if it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How many resources are written at a time. Decrypting all users at once would block the object for seconds. */
const WRITTEN_AT_ONCE = 100;

/**
 * Everything that a sandbox holds at this moment, as JSON of `Data` that can fill another one. A password that does not open
 * breaks the body off.
 */
export async function dataOf(
  db: Database,
  keys: PasswordKeys,
): Promise<{ readonly body: ReadableStream; readonly rowsRead: number }> {
  const [pets, orders, users] = await db.batch(
    [allPets({}), allOrders.statement({}), allUsers.statement({})],
    { repeatable: true },
  );
  async function* written(): AsyncGenerator<string> {
    yield '{"pets":[';
    yield* itemsOf(pets, async (row) => asSent(row).text);
    yield '],"orders":[';
    yield* itemsOf(orders, async (row) => JSON.stringify(allOrders.fromRow(row).order));
    yield '],"users":[';
    yield* itemsOf(users, async (row) =>
      JSON.stringify(await revealUser(allUsers.fromRow(row), keys)),
    );
    yield "]}";
  }
  const texts = written();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await texts.next();
        if (done) controller.close();
        else controller.enqueue(utf8(value));
      },
    },
    { highWaterMark: 0 },
  );
  return {
    body,
    rowsRead: pets.length + orders.length + users.length,
  };
}

/** The items of a JSON array, some at a time. */
async function* itemsOf<Row>(
  rows: readonly Row[],
  write: (row: Row) => Promise<string>,
): AsyncGenerator<string> {
  for (let at = 0; at < rows.length; at += WRITTEN_AT_ONCE) {
    const texts = await Promise.all(rows.slice(at, at + WRITTEN_AT_ONCE).map(write));
    yield (at === 0 ? "" : ",") + texts.join(",");
  }
}
