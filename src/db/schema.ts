import { sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

// Columns have the names of the interface's members. Keys, indexes and checks are in constraints.ts. Drizzle can express
// neither STRICT tables nor the triggers that keep derived tables right, so both are in the migration:
// docs/decisions/002-the-database-keeps-its-invariants.md.

const randomNumber = sql`(abs(random() % 281474976710656) + 1)`;
const randomBits = sql`(lower(hex(randomblob(16))))`;

/** The ETag: incremented by every change. It starts at random, so a resource that is created again repeats no ETag. */
const version = () => integer().notNull().default(randomNumber);

export const petColumns = {
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
};
export const pets = sqliteTable("pets", petColumns);

/** The pets of each tag name. Derived from `pets.tags` by triggers. */
export const petTagColumns = { tag: text().notNull(), petId: integer().notNull() };
export const petTags = sqliteTable("pet_tags", petTagColumns);

/** Every image that R2 may have, and whether to keep it: src/pet/image-queries.ts. */
export const petImageColumns = {
  petId: integer().notNull(),
  /** Its key in R2 is `<petId>/<name>`. Names are never reused, so no other image ever has this key. */
  name: text().notNull(),
  /**
   * NULL: the pet has the image. 0: the image must be deleted, which is final; a trigger sets this when the pet is
   * deleted. Any other number: the upload is in progress and expires then, in milliseconds since the epoch.
   */
  dueAt: integer(),
  /** 1: the pet was deleted during the upload. Another pet may have its id now. The same trigger sets this. */
  isOrphan: integer(),
};
export const petImages = sqliteTable("pet_images", petImageColumns);

/** The number of pets with each status. Derived from `pets.status` by triggers. */
export const inventoryColumns = {
  status: text({ enum: ["available", "pending", "sold"] }).primaryKey(),
  quantity: integer().notNull(),
};
export const inventory = sqliteTable("inventory", inventoryColumns);

export const orderColumns = {
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
};
export const orders = sqliteTable("orders", orderColumns);

export const userColumns = {
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
  accountId: text().notNull().default(randomBits),
  version: version(),
};
export const users = sqliteTable("users", userColumns);

/** The tables whose ids the database generates. */
export const RESOURCES = ["pets", "orders", "users"] as const;

/** The smallest id that was never used, per table. Maintained by triggers. */
export const idSequences = sqliteTable("id_sequences", {
  resource: text({ enum: RESOURCES }).primaryKey(),
  next: integer().notNull(),
});

/** Disjoint ranges of ids beyond the sequence that clients chose, deleted ones included. Maintained by triggers. */
export const idRangeColumns = {
  resource: text({ enum: RESOURCES }).notNull(),
  first: integer().notNull(),
  last: integer().notNull(),
};
export const idRanges = sqliteTable("id_ranges", idRangeColumns);

/** The requests that were done with an idempotency key: src/db/claims.ts. */
export const idempotencyKeyColumns = {
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
};
export const idempotencyKeys = sqliteTable("idempotency_keys", idempotencyKeyColumns);
