import * as v from "valibot";
import type { Database } from "../db/client.ts";
import type { Bound } from "../db/statement.ts";
import { ApiError, fieldErrors } from "../http/errors.ts";
import type { FieldError } from "../http/errors.ts";
import { streamOf } from "../http/respond.ts";
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

const DataText = v.pipe(v.string(), v.parseJson(undefined, "is not JSON"), StatedData);

/**
 * Prepares the initial data of a sandbox.
 * @param text JSON like the body of `PUT …/data`
 * @throws ApiError 400
 */
export async function fillingOf(text: string, keys: PasswordKeys): Promise<Filling> {
  const parsed = v.safeParse(DataText, text, { abortPipeEarly: true });
  const errors = parsed.success ? duplicatesIn(parsed.output) : fieldErrors(parsed.issues, "body");
  if (!parsed.success || errors.length > 0) {
    throw new ApiError(putStoreData.errors.invalid, { errors });
  }
  return { data: parsed.output.data, statements: await insertionsOf(parsed.output, keys) };
}

/** How many users are shown at a time. Opening all passwords at once would block the object for seconds. */
const SHOWN_AT_ONCE = 100;

/** The most readers of one sandbox's data. Each keeps up to 10 MB in memory until its client has them. */
const MAX_READERS = 4;

/** The data of a sandbox, as JSON of `Data` that can fill another one. */
interface ShownData {
  /** Ends early if a password does not open. */
  readonly body: ReadableStream;
  readonly rowsRead: number;
}

/**
 * Shows everything that a sandbox holds. All of it is read at once, so a slow client gets the data of one moment too.
 * @throws ApiError 429 if too many clients read it already
 */
export async function dataOf(
  sandbox: { readers: number },
  db: Database,
  keys: PasswordKeys,
): Promise<ShownData> {
  if (sandbox.readers >= MAX_READERS) throw ApiError.general("tooMany");
  sandbox.readers += 1;
  let isReading = true;
  const leave = () => {
    if (isReading) sandbox.readers -= 1;
    isReading = false;
  };
  try {
    const [pets, orders, users] = await db.batch(
      [allPets({}), allOrders.statement({}), allUsers.statement({})],
      { repeatable: true },
    );
    const petsAsJson = pets.map((row) => asSent(row).text).join(",");
    const ordersAsJson = orders
      .map((row) => JSON.stringify(allOrders.fromRow(row).order))
      .join(",");
    // Text takes less memory than rows. Users stay rows until they are sent, because their passwords are sealed.
    const open = utf8(`{"pets":[${petsAsJson}],"orders":[${ordersAsJson}],"users":[`);
    const rowsRead = pets.length + orders.length + users.length;
    return { body: streamOf(textsOf(open, users, keys), leave), rowsRead };
  } catch (fault) {
    leave();
    throw fault;
  }
}

/** The data in pieces: `open`, the users, and the end. */
async function* textsOf(
  open: Uint8Array,
  users: Parameters<typeof allUsers.fromRow>[0][],
  keys: PasswordKeys,
): AsyncGenerator<Uint8Array> {
  yield open;
  for (let separator = ""; users.length > 0; separator = ",") {
    const some = users.splice(0, SHOWN_AT_ONCE);
    const shown = await Promise.all(
      some.map(async (row) => JSON.stringify(await revealUser(allUsers.fromRow(row), keys))),
    );
    yield utf8(separator + shown.join(","));
  }
  yield utf8("]}");
}
