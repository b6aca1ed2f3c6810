import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import * as columns from "./schema.ts";

// The tables of schema.ts with their keys, indexes and checks. Only drizzle-kit reads this file, for the migrations:
// statements need no constraints, so the Worker does not carry them.

export { idSequences } from "./schema.ts";

const idInRange = (name: string, id: AnySQLiteColumn) =>
  check(name, sql`${id} between 1 and 9007199254740991`);

export const pets = sqliteTable("pets", columns.petColumns, (pet) => [
  index("pets_status").on(pet.status, pet.id),
  idInRange("pets_id", pet.id),
  check("pets_category", sql`json_type(${pet.category}) = 'object'`),
  check("pets_name", sql`${pet.name} <> ''`),
  check("pets_photoUrls", sql`json_type(${pet.photoUrls}) in ('text', 'array')`),
  check("pets_tags", sql`json_type(${pet.tags}) = 'array'`),
  check("pets_status", sql`${pet.status} in ('available', 'pending', 'sold')`),
]);

export const petTags = sqliteTable("pet_tags", columns.petTagColumns, (petTag) => [
  primaryKey({ columns: [petTag.tag, petTag.petId] }),
]);

export const petImages = sqliteTable("pet_images", columns.petImageColumns, (image) => [
  primaryKey({ columns: [image.petId, image.name] }),
  index("pet_images_dueAt")
    .on(image.dueAt)
    .where(sql`${image.dueAt} is not null`),
  check("pet_images_dueAt", sql`${image.dueAt} >= 0`),
]);

export const inventory = sqliteTable("inventory", columns.inventoryColumns, (count) => [
  check("inventory_quantity", sql`${count.quantity} >= 0`),
]);

export const orders = sqliteTable("orders", columns.orderColumns, (order) => [
  idInRange("orders_id", order.id),
  check("orders_quantity", sql`${order.quantity} >= 0`),
  check("orders_status", sql`${order.status} in ('placed', 'approved', 'delivered')`),
  check("orders_complete", sql`${order.complete} in (0, 1)`),
]);

export const users = sqliteTable("users", columns.userColumns, (user) => [
  idInRange("users_id", user.id),
  check("users_username", sql`length(${user.username}) between 1 and 128`),
]);

export const idRanges = sqliteTable("id_ranges", columns.idRangeColumns, (range) => [
  primaryKey({ columns: [range.resource, range.first] }),
  check("id_ranges_order", sql`${range.first} <= ${range.last}`),
]);

/**
 * Triggers insert here to claim the id of a new row. The table stays empty: its own triggers do the work and drop the
 * row. A view with triggers would do, but its export could not be imported.
 */
export const idClaims = sqliteTable(
  "id_claims",
  {
    resource: text({ enum: columns.RESOURCES }).notNull(),
    id: integer().notNull(),
    next: integer().notNull(),
  },
  (claim) => [primaryKey({ columns: [claim.resource, claim.id] })],
);

export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  columns.idempotencyKeyColumns,
  (row) => [index("idempotency_keys_expiresAt").on(row.expiresAt)],
);
