/**
 * The migrations in order, for sandboxes, which apply them themselves. `npm run migration` writes this file from
 * migrations/, which wrangler applies to D1.
 */
export const MIGRATIONS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: "0000_store",
    sql: `CREATE TABLE "id_sequences" ( "resource" text PRIMARY KEY NOT NULL, "next" integer NOT NULL ) STRICT, WITHOUT ROWID;
CREATE TABLE "idempotency_keys" ( "key" text PRIMARY KEY NOT NULL, "request" text NOT NULL, "resourceId" integer, "version" integer, "ids" text, "expiresAt" integer NOT NULL ) STRICT, WITHOUT ROWID;
CREATE INDEX "idempotency_keys_expiresAt" ON "idempotency_keys" ("expiresAt");
CREATE TABLE "inventory" ( "status" text PRIMARY KEY NOT NULL, "quantity" integer NOT NULL, CONSTRAINT "inventory_quantity" CHECK("inventory"."quantity" >= 0) ) STRICT, WITHOUT ROWID;
CREATE TABLE "orders" ( "id" integer PRIMARY KEY NOT NULL, "petId" integer, "quantity" integer, "shipDate" text, "status" text, "complete" integer, "owner" text, "version" integer DEFAULT (abs(random() % 281474976710656) + 1) NOT NULL, CONSTRAINT "orders_id" CHECK("orders"."id" between 1 and 9007199254740991), CONSTRAINT "orders_quantity" CHECK("orders"."quantity" >= 0), CONSTRAINT "orders_status" CHECK("orders"."status" in ('placed', 'approved', 'delivered')), CONSTRAINT "orders_complete" CHECK("orders"."complete" in (0, 1)) ) STRICT;
CREATE TABLE "pet_images" ( "petId" integer NOT NULL, "name" text NOT NULL, "dueAt" integer, "isOrphan" integer DEFAULT 0 NOT NULL, "bytes" integer DEFAULT 0 NOT NULL, PRIMARY KEY("petId", "name"), CONSTRAINT "pet_images_dueAt" CHECK("pet_images"."dueAt" >= 0), CONSTRAINT "pet_images_isOrphan" CHECK("pet_images"."isOrphan" in (0, 1)) ) STRICT, WITHOUT ROWID;
CREATE INDEX "pet_images_dueAt" ON "pet_images" ("dueAt") WHERE "pet_images"."dueAt" is not null;
CREATE TABLE "pet_tags" ( "tag" text NOT NULL, "petId" integer NOT NULL, PRIMARY KEY("tag", "petId") ) STRICT, WITHOUT ROWID;
CREATE TABLE "pets" ( "id" integer PRIMARY KEY NOT NULL, "category" text, "name" text NOT NULL, "photoUrls" text NOT NULL, "tags" text, "status" text, "version" integer DEFAULT (abs(random() % 281474976710656) + 1) NOT NULL, CONSTRAINT "pets_id" CHECK("pets"."id" between 1 and 9007199254740991), CONSTRAINT "pets_category" CHECK(json_type("pets"."category") = 'object'), CONSTRAINT "pets_name" CHECK("pets"."name" <> ''), CONSTRAINT "pets_photoUrls" CHECK(json_type("pets"."photoUrls") in ('text', 'array')), CONSTRAINT "pets_tags" CHECK(json_type("pets"."tags") = 'array'), CONSTRAINT "pets_status" CHECK("pets"."status" in ('available', 'pending', 'sold')) ) STRICT;
CREATE INDEX "pets_status" ON "pets" ("status","id");
CREATE TABLE "users" ( "id" integer PRIMARY KEY NOT NULL, "username" text, "firstName" text, "lastName" text, "email" text, "sealedPassword" text, "phone" text, "userStatus" integer, "credentialId" text NOT NULL, "accountId" text DEFAULT (lower(hex(randomblob(16)))) NOT NULL, "version" integer DEFAULT (abs(random() % 281474976710656) + 1) NOT NULL, CONSTRAINT "users_id" CHECK("users"."id" between 1 and 9007199254740991), CONSTRAINT "users_username" CHECK(length("users"."username") between 1 and 128) ) STRICT;
CREATE UNIQUE INDEX "users_username" ON "users" ("username");
CREATE TRIGGER "pets_id" AFTER INSERT ON "pets" BEGIN UPDATE "id_sequences" SET "next" = ( SELECT "taken"."id" + 1 FROM "pets" AS "taken" WHERE "taken"."id" >= NEW."id" AND NOT EXISTS (SELECT 1 FROM "pets" AS "after" WHERE "after"."id" = "taken"."id" + 1) ORDER BY "taken"."id" LIMIT 1 ) WHERE "resource" = 'pets' AND "next" = NEW."id"; END;
CREATE TRIGGER "orders_id" AFTER INSERT ON "orders" BEGIN UPDATE "id_sequences" SET "next" = ( SELECT "taken"."id" + 1 FROM "orders" AS "taken" WHERE "taken"."id" >= NEW."id" AND NOT EXISTS (SELECT 1 FROM "orders" AS "after" WHERE "after"."id" = "taken"."id" + 1) ORDER BY "taken"."id" LIMIT 1 ) WHERE "resource" = 'orders' AND "next" = NEW."id"; END;
CREATE TRIGGER "users_id" AFTER INSERT ON "users" BEGIN UPDATE "id_sequences" SET "next" = ( SELECT "taken"."id" + 1 FROM "users" AS "taken" WHERE "taken"."id" >= NEW."id" AND NOT EXISTS (SELECT 1 FROM "users" AS "after" WHERE "after"."id" = "taken"."id" + 1) ORDER BY "taken"."id" LIMIT 1 ) WHERE "resource" = 'users' AND "next" = NEW."id"; END;
INSERT INTO "id_sequences" ("resource", "next") VALUES ('pets', 1), ('orders', 11), ('users', 1);
INSERT INTO "inventory" ("status", "quantity") VALUES ('available', 0), ('pending', 0), ('sold', 0);
CREATE TRIGGER "inventory_insert" AFTER INSERT ON "pets" WHEN NEW."status" IS NOT NULL BEGIN UPDATE "inventory" SET "quantity" = "quantity" + 1 WHERE "status" = NEW."status"; END;
CREATE TRIGGER "inventory_update" AFTER UPDATE OF "status" ON "pets" WHEN OLD."status" IS NOT NEW."status" BEGIN UPDATE "inventory" SET "quantity" = "quantity" - 1 WHERE "status" = OLD."status"; UPDATE "inventory" SET "quantity" = "quantity" + 1 WHERE "status" = NEW."status"; END;
CREATE TRIGGER "inventory_delete" AFTER DELETE ON "pets" WHEN OLD."status" IS NOT NULL BEGIN UPDATE "inventory" SET "quantity" = "quantity" - 1 WHERE "status" = OLD."status"; END;
CREATE VIEW "pet_tag_names" AS SELECT DISTINCT "pets"."id" AS "petId", iif("item"."type" = 'text', "item"."value", "item"."value" ->> '$.name') AS "tag" FROM "pets" JOIN json_each("pets"."tags") AS "item";
CREATE TRIGGER "pet_tags_insert" AFTER INSERT ON "pets" WHEN NEW."tags" IS NOT NULL BEGIN INSERT INTO "pet_tags" ("tag", "petId") SELECT "tag", "petId" FROM "pet_tag_names" WHERE "petId" = NEW."id" AND "tag" IS NOT NULL; END;
CREATE TRIGGER "pet_tags_update_old" BEFORE UPDATE OF "tags" ON "pets" WHEN OLD."tags" IS NOT NEW."tags" BEGIN DELETE FROM "pet_tags" WHERE "petId" = OLD."id" AND "tag" IN (SELECT "tag" FROM "pet_tag_names" WHERE "petId" = OLD."id"); END;
CREATE TRIGGER "pet_tags_update_new" AFTER UPDATE OF "tags" ON "pets" WHEN OLD."tags" IS NOT NEW."tags" BEGIN INSERT INTO "pet_tags" ("tag", "petId") SELECT "tag", "petId" FROM "pet_tag_names" WHERE "petId" = NEW."id" AND "tag" IS NOT NULL; END;
CREATE TRIGGER "pet_tags_delete" BEFORE DELETE ON "pets" WHEN OLD."tags" IS NOT NULL BEGIN DELETE FROM "pet_tags" WHERE "petId" = OLD."id" AND "tag" IN (SELECT "tag" FROM "pet_tag_names" WHERE "petId" = OLD."id"); END;
CREATE TRIGGER "pet_images_delete" AFTER DELETE ON "pets" BEGIN UPDATE "pet_images" SET "dueAt" = coalesce("dueAt", 0), "isOrphan" = coalesce("dueAt" > 0, 0) WHERE "petId" = OLD."id" AND "dueAt" IS NOT 0; END;
CREATE TRIGGER "users_orders" AFTER DELETE ON "users" BEGIN DELETE FROM "orders" WHERE "id" <= 10 AND "owner" = OLD."accountId"; END;
CREATE TRIGGER "pets_version" BEFORE UPDATE ON "pets" WHEN NEW."version" <> OLD."version" + 1 OR NEW."id" <> OLD."id" BEGIN SELECT RAISE(ABORT, 'an update moves the version by one and keeps the id'); END;
CREATE TRIGGER "orders_version" BEFORE UPDATE ON "orders" WHEN NEW."version" <> OLD."version" + 1 OR NEW."id" <> OLD."id" BEGIN SELECT RAISE(ABORT, 'an update moves the version by one and keeps the id'); END;
CREATE TRIGGER "users_version" BEFORE UPDATE OF "id", "username", "firstName", "lastName", "email", "phone", "userStatus", "credentialId", "accountId", "version" ON "users" WHEN NEW."version" <> OLD."version" + 1 OR NEW."id" <> OLD."id" OR NEW."accountId" <> OLD."accountId" BEGIN SELECT RAISE(ABORT, 'an update moves the version by one and keeps the ids'); END;`,
  },
];
