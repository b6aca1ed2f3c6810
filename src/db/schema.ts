import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";

// Columns carry the interface's own member names, so that a row reads like the resource it holds.
// The tables are STRICT, and triggers keep the derived tables right; Drizzle can express neither,
// so both stand in the migration: docs/decisions/002-the-database-keeps-its-invariants.md.

/** Where a version starts: a random number for each row. */
export const firstVersion = sql`(abs(random() % 281474976710656) + 1)`;

/** 128 random bits for each row. */
export const newAccountId = sql`(lower(hex(randomblob(16))))`;

/**
 * What an ETag shows: one more at every change of the row. It starts at a random number, so that a
 * resource that was deleted and created again never repeats a validator.
 */
const version = () => integer().notNull().default(firstVersion);

const idInRange = (name: string, id: AnySQLiteColumn) =>
  check(name, sql`${id} between 1 and 9007199254740991`);

export const pets = sqliteTable(
  "pets",
  {
    id: integer().primaryKey(),
    /** JSON object, as it was sent. */
    category: text(),
    name: text().notNull(),
    /** JSON string or array of strings, as it was sent. */
    photoUrls: text().notNull(),
    /** JSON array of strings and objects, as it was sent. */
    tags: text(),
    status: text({ enum: ["available", "pending", "sold"] }),
    version: version(),
  },
  (pet) => [
    index("pets_status").on(pet.status, pet.id),
    idInRange("pets_id", pet.id),
    check("pets_category", sql`json_type(${pet.category}) = 'object'`),
    check("pets_name", sql`${pet.name} <> ''`),
    check("pets_photoUrls", sql`json_type(${pet.photoUrls}) in ('text', 'array')`),
    check("pets_tags", sql`json_type(${pet.tags}) = 'array'`),
    check("pets_status", sql`${pet.status} in ('available', 'pending', 'sold')`),
  ],
);

/** Which pets carry a tag of this name. Derived from `pets.tags` by triggers. */
export const petTags = sqliteTable(
  "pet_tags",
  { tag: text().notNull(), petId: integer().notNull() },
  (petTag) => [primaryKey({ columns: [petTag.tag, petTag.petId] })],
);

/** Every image that R2 may hold, and whether it is to stay: src/pet/image-queries.ts. */
export const petImages = sqliteTable(
  "pet_images",
  {
    petId: integer().notNull(),
    /** Its key in R2 is `<petId>/<name>`. A name is given once, so nothing else ever has this key. */
    name: text().notNull(),
    /**
     * NULL: the pet has it. 0: it must go, which is final; a trigger sets it when the pet is deleted. Anything
     * else: it is being uploaded, and must go from then on, in milliseconds since the epoch.
     */
    dueAt: integer(),
  },
  (image) => [
    primaryKey({ columns: [image.petId, image.name] }),
    index("pet_images_dueAt")
      .on(image.dueAt)
      .where(sql`${image.dueAt} is not null`),
    check("pet_images_dueAt", sql`${image.dueAt} >= 0`),
  ],
);

/** How many pets have each status. Derived from `pets.status` by triggers. */
export const inventory = sqliteTable(
  "inventory",
  {
    status: text({ enum: ["available", "pending", "sold"] }).primaryKey(),
    quantity: integer().notNull(),
  },
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
    /** 0 or 1. */
    complete: integer(),
    /** Who placed it, where access is protected: the `accountId` of a user. */
    owner: text(),
    version: version(),
  },
  (order) => [
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
    /** AES-GCM, never clear text: src/user/passwords.ts. */
    sealedPassword: text(),
    phone: text(),
    userStatus: integer(),
    /**
     * Names the account as it is with its present password: a new one with every new password. The
     * sealed password is bound to it, and so is every session, which therefore ends with it.
     */
    credentialId: text().notNull(),
    /**
     * Names the account from its creation to its deletion, whatever its name and password are, and never another:
     * not one that is created again under its id or its name.
     */
    accountId: text().notNull().default(newAccountId),
    version: version(),
  },
  (user) => [
    idInRange("users_id", user.id),
    check("users_username", sql`length(${user.username}) between 1 and 128`),
  ],
);

/** The smallest id that was never used, per table. Kept by triggers. */
export const idSequences = sqliteTable("id_sequences", {
  resource: text({ enum: ["pets", "orders", "users"] }).primaryKey(),
  next: integer().notNull(),
});

/**
 * Runs of ids beyond the sequence that clients chose, deleted ones included: maximal, disjoint, and so
 * skipped in one step however long they are. Kept by triggers.
 */
export const idRanges = sqliteTable(
  "id_ranges",
  {
    resource: text({ enum: ["pets", "orders", "users"] }).notNull(),
    first: integer().notNull(),
    last: integer().notNull(),
  },
  (range) => [
    primaryKey({ columns: [range.resource, range.first] }),
    check("id_ranges_order", sql`${range.first} <= ${range.last}`),
  ],
);

/**
 * Where triggers claim the id of a new row, with the next id as it is then. Always empty: its own triggers do what a
 * claim asks for, and drop the row. A view would do, but what is exported of a database cannot be loaded where
 * triggers stand on a view.
 */
export const idClaims = sqliteTable(
  "id_claims",
  {
    resource: text({ enum: ["pets", "orders", "users"] }).notNull(),
    id: integer().notNull(),
    next: integer().notNull(),
  },
  (claim) => [primaryKey({ columns: [claim.resource, claim.id] })],
);

/** Requests that were done and are not to be done again: src/db/claim.ts. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    /** HMAC of the caller and the key that it sent. */
    key: text().primaryKey(),
    /** HMAC of what was asked. */
    request: text().notNull(),
    /** The id and the version that the resource got which the request created, if it created one. */
    resourceId: integer(),
    version: integer(),
    /** When it is forgotten, in milliseconds since the epoch. */
    expiresAt: integer().notNull(),
  },
  (row) => [index("idempotency_keys_expiresAt").on(row.expiresAt)],
);
