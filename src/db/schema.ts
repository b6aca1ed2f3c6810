import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";

// Columns have the names of the interface's members. Drizzle can express neither STRICT tables nor the triggers that
// keep derived tables right, so both are in the migration: docs/decisions/002-the-database-keeps-its-invariants.md.

/** The first version of a row: random, so a resource that is created again repeats no ETag. */
export const firstVersion = sql`(abs(random() % 281474976710656) + 1)`;

/** The ETag: incremented by every change. */
const version = () => integer().notNull().default(firstVersion);

/** Identifies an account: 128 random bits. */
export const newAccountId = sql`(lower(hex(randomblob(16))))`;

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

/** The pets of each tag name. Derived from `pets.tags` by triggers. */
export const petTags = sqliteTable(
  "pet_tags",
  { tag: text().notNull(), petId: integer().notNull() },
  (petTag) => [primaryKey({ columns: [petTag.tag, petTag.petId] })],
);

/** Every image that R2 may have, and whether to keep it: src/pet/image-queries.ts. */
export const petImages = sqliteTable(
  "pet_images",
  {
    petId: integer().notNull(),
    /** Its key in R2 is `<petId>/<name>`. Names are never reused, so no other image ever has this key. */
    name: text().notNull(),
    /**
     * NULL: the pet has the image. 0: the image must be deleted, which is final; a trigger sets this when the pet is
     * deleted. Any other number: the upload is in progress and expires then, in milliseconds since the epoch.
     */
    dueAt: integer(),
    /** 1: the pet was deleted during the upload. Another pet may have its id now. The same trigger sets this. */
    isOrphan: integer().notNull().default(0),
    /** The size of the file. A sandbox limits the sum. */
    bytes: integer().notNull().default(0),
  },
  (image) => [
    primaryKey({ columns: [image.petId, image.name] }),
    index("pet_images_dueAt")
      .on(image.dueAt)
      .where(sql`${image.dueAt} is not null`),
    check("pet_images_dueAt", sql`${image.dueAt} >= 0`),
    check("pet_images_isOrphan", sql`${image.isOrphan} in (0, 1)`),
  ],
);

/** The number of pets with each status. Derived from `pets.status` by triggers. */
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
    /** The `accountId` of the user who placed it, if access is protected. */
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
    /** Changes with every new password. The sealed password and all sessions are bound to it, and end with it. */
    credentialId: text().notNull(),
    /** Identifies the account for its whole life. A later account with the same id or name has another. */
    accountId: text().notNull().default(newAccountId),
    version: version(),
  },
  (user) => [
    idInRange("users_id", user.id),
    check("users_username", sql`length(${user.username}) between 1 and 128`),
  ],
);

/** The next id that is generated, per table: no row has it, and none was generated with it. Maintained by triggers. */
export const idSequences = sqliteTable("id_sequences", {
  resource: text({ enum: ["pets", "orders", "users"] }).primaryKey(),
  next: integer().notNull(),
});

/** The requests that were done with an idempotency key: src/db/claims.ts. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    /** HMAC of the caller and its idempotency key. */
    key: text().primaryKey(),
    /** HMAC of the request. */
    request: text().notNull(),
    /** The id and the version of the resource that the request created, if it created one. */
    resourceId: integer(),
    version: integer(),
    /** The ids that the database generated, if the request created several resources: a JSON array. */
    ids: text(),
    /** When it expires, in milliseconds since the epoch. */
    expiresAt: integer().notNull(),
  },
  (row) => [index("idempotency_keys_expiresAt").on(row.expiresAt)],
);
