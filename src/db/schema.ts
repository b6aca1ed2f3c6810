import { sql } from "drizzle-orm";
import {
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
  type AnySQLiteColumn,
} from "drizzle-orm/sqlite-core";

// Columns have the names of the API's fields. Drizzle cannot express STRICT, WITHOUT ROWID, or triggers: these, and the first
// rows, are written manually in the migration.

/** The ETag of a row: starts at a random number, so that a recreated row never reuses an old ETag. Each update adds one. */
const version = () =>
  integer()
    .notNull()
    .default(sql`(abs(random() % 281474976710656) + 1)`);

const idInRange = (name: string, id: AnySQLiteColumn) => check(name, sql`${id} between 1 and 9007199254740991`);

/** The idempotency key of the request that created a row, unique per owner. */
const idempotency = {
  idempotencyKey: text(),
  /** The SHA-256 of that request's validated body, in hexadecimal. */
  idempotencyHash: text(),
};

/** A category or a tag. Absent fields are absent in the JSON. */
interface IdAndName {
  readonly id: number | undefined;
  readonly name: string | undefined;
}

export const pets = sqliteTable(
  "pets",
  {
    id: integer().primaryKey(),
    category: text({ mode: "json" }).$type<IdAndName>(),
    name: text().notNull(),
    /** A string or an array, as sent. */
    photoUrls: text({ mode: "json" }).$type<string | string[]>().notNull(),
    tags: text({ mode: "json" }).$type<(string | IdAndName)[]>(),
    status: text({ enum: ["available", "pending", "sold"] }),
    version: version(),
    /** The `accountId` of the user who created it, where access is protected. */
    owner: text(),
    ...idempotency,
  },
  (pet) => [
    index("pets_status").on(pet.status, pet.id),
    uniqueIndex("pets_idempotencyKey").on(sql`coalesce(${pet.owner}, '')`, pet.idempotencyKey),
    idInRange("pets_id", pet.id),
    check("pets_category", sql`json_type(${pet.category}) = 'object'`),
    check("pets_name", sql`${pet.name} <> ''`),
    check("pets_photoUrls", sql`json_type(${pet.photoUrls}) in ('text', 'array')`),
    check("pets_tags", sql`json_type(${pet.tags}) = 'array'`),
    check("pets_status", sql`${pet.status} in ('available', 'pending', 'sold')`),
  ],
);

/** The pets with each tag. Triggers derive it from `pets.tags`. */
export const petTags = sqliteTable("pet_tags", { tag: text().notNull(), petId: integer().notNull() }, (petTag) => [
  primaryKey({ columns: [petTag.tag, petTag.petId] }),
]);

/** The number of pets with each status. Triggers derive it from `pets.status`. */
export const inventory = sqliteTable(
  "inventory",
  { status: text({ enum: ["available", "pending", "sold"] }).primaryKey(), quantity: integer().notNull() },
  (count) => [check("inventory_quantity", sql`${count.quantity} >= 0`)],
);

export const orders = sqliteTable(
  "orders",
  {
    id: integer().primaryKey(),
    petId: integer(),
    quantity: integer(),
    shipDate: text(),
    status: text({ enum: ["placed", "approved", "delivered"] }),
    complete: integer({ mode: "boolean" }),
    version: version(),
    /** The `accountId` of the user who placed it, where access is protected. */
    owner: text(),
    ...idempotency,
  },
  (order) => [
    uniqueIndex("orders_idempotencyKey").on(sql`coalesce(${order.owner}, '')`, order.idempotencyKey),
    idInRange("orders_id", order.id),
    check("orders_quantity", sql`${order.quantity} >= 0`),
    check("orders_status", sql`${order.status} in ('placed', 'approved', 'delivered')`),
    check("orders_complete", sql`${order.complete} in (0, 1)`),
  ],
);

export const users = sqliteTable(
  "users",
  {
    id: integer().primaryKey(),
    username: text().unique("users_username"),
    firstName: text(),
    lastName: text(),
    email: text(),
    /** Encrypted with AES-GCM, never plaintext: src/auth/passwords.ts. */
    sealedPassword: text(),
    phone: text(),
    userStatus: integer(),
    version: version(),
    /** Identifies the account for its lifetime. A later account with the same ID or username has another. */
    accountId: text()
      .notNull()
      .default(sql`(lower(hex(randomblob(16))))`),
    /** Changes with every new password. The encrypted password and all sessions are bound to it. */
    credentialId: text().notNull(),
  },
  (user) => [idInRange("users_id", user.id), check("users_username", sql`length(${user.username}) between 1 and 128`)],
);

/** The next generated ID of each table, which no row has. Triggers maintain it. */
export const idSequences = sqliteTable("id_sequences", {
  resource: text({ enum: ["pets", "orders", "users"] }).primaryKey(),
  next: integer().notNull(),
});
