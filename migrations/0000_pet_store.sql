-- Completed manually: see src/db/schema.ts.
CREATE TABLE "id_sequences" (
	"resource" text PRIMARY KEY NOT NULL,
	"next" integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE "inventory" (
	"status" text PRIMARY KEY NOT NULL,
	"quantity" integer NOT NULL,
	CONSTRAINT "inventory_quantity" CHECK("inventory"."quantity" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" integer PRIMARY KEY NOT NULL,
	"petId" integer,
	"quantity" integer,
	"shipDate" text,
	"status" text,
	"complete" integer,
	"version" integer DEFAULT (abs(random() % 281474976710656) + 1) NOT NULL,
	"owner" text,
	"idempotencyKey" text,
	"idempotencyHash" text,
	CONSTRAINT "orders_id" CHECK("orders"."id" between 1 and 9007199254740991),
	CONSTRAINT "orders_quantity" CHECK("orders"."quantity" >= 0),
	CONSTRAINT "orders_status" CHECK("orders"."status" in ('placed', 'approved', 'delivered')),
	CONSTRAINT "orders_complete" CHECK("orders"."complete" in (0, 1))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX "orders_idempotencyKey" ON "orders" (coalesce("owner", ''), "idempotencyKey");
--> statement-breakpoint
CREATE TABLE "pet_tags" (
	"tag" text NOT NULL,
	"petId" integer NOT NULL,
	PRIMARY KEY("tag", "petId")
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE "pets" (
	"id" integer PRIMARY KEY NOT NULL,
	"category" text,
	"name" text NOT NULL,
	"photoUrls" text NOT NULL,
	"tags" text,
	"status" text,
	"version" integer DEFAULT (abs(random() % 281474976710656) + 1) NOT NULL,
	"owner" text,
	"idempotencyKey" text,
	"idempotencyHash" text,
	CONSTRAINT "pets_id" CHECK("pets"."id" between 1 and 9007199254740991),
	CONSTRAINT "pets_category" CHECK(json_type("pets"."category") = 'object'),
	CONSTRAINT "pets_name" CHECK("pets"."name" <> ''),
	CONSTRAINT "pets_photoUrls" CHECK(json_type("pets"."photoUrls") in ('text', 'array')),
	CONSTRAINT "pets_tags" CHECK(json_type("pets"."tags") = 'array'),
	CONSTRAINT "pets_status" CHECK("pets"."status" in ('available', 'pending', 'sold'))
) STRICT;
--> statement-breakpoint
CREATE INDEX "pets_status" ON "pets" ("status","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "pets_idempotencyKey" ON "pets" (coalesce("owner", ''), "idempotencyKey");
--> statement-breakpoint
CREATE TABLE "users" (
	"id" integer PRIMARY KEY NOT NULL,
	"username" text,
	"firstName" text,
	"lastName" text,
	"email" text,
	"sealedPassword" text,
	"phone" text,
	"userStatus" integer,
	"version" integer DEFAULT (abs(random() % 281474976710656) + 1) NOT NULL,
	"accountId" text DEFAULT (lower(hex(randomblob(16)))) NOT NULL,
	"credentialId" text NOT NULL,
	CONSTRAINT "users_id" CHECK("users"."id" between 1 and 9007199254740991),
	CONSTRAINT "users_username" CHECK(length("users"."username") between 1 and 128)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX "users_username" ON "users" ("username");
--> statement-breakpoint
-- Generated IDs. Inserting a row with the next ID advances it past IDs that clients chose, so the next ID is always unused.
INSERT INTO "id_sequences" ("resource", "next") VALUES ('pets', 1), ('orders', 11), ('users', 1);
--> statement-breakpoint
CREATE TRIGGER "pets_id" AFTER INSERT ON "pets"
BEGIN
	UPDATE "id_sequences" SET "next" = (
		SELECT "last"."id" + 1 FROM "pets" AS "last"
		WHERE "last"."id" >= NEW."id"
		AND NOT EXISTS (SELECT 1 FROM "pets" AS "following" WHERE "following"."id" = "last"."id" + 1)
		ORDER BY "last"."id" LIMIT 1
	) WHERE "resource" = 'pets' AND "next" = NEW."id";
END;
--> statement-breakpoint
CREATE TRIGGER "orders_id" AFTER INSERT ON "orders"
BEGIN
	UPDATE "id_sequences" SET "next" = (
		SELECT "last"."id" + 1 FROM "orders" AS "last"
		WHERE "last"."id" >= NEW."id"
		AND NOT EXISTS (SELECT 1 FROM "orders" AS "following" WHERE "following"."id" = "last"."id" + 1)
		ORDER BY "last"."id" LIMIT 1
	) WHERE "resource" = 'orders' AND "next" = NEW."id";
END;
--> statement-breakpoint
CREATE TRIGGER "users_id" AFTER INSERT ON "users"
BEGIN
	UPDATE "id_sequences" SET "next" = (
		SELECT "last"."id" + 1 FROM "users" AS "last"
		WHERE "last"."id" >= NEW."id"
		AND NOT EXISTS (SELECT 1 FROM "users" AS "following" WHERE "following"."id" = "last"."id" + 1)
		ORDER BY "last"."id" LIMIT 1
	) WHERE "resource" = 'users' AND "next" = NEW."id";
END;
--> statement-breakpoint
-- The inventory: the number of pets by status.
INSERT INTO "inventory" ("status", "quantity") VALUES ('available', 0), ('pending', 0), ('sold', 0);
--> statement-breakpoint
CREATE TRIGGER "inventory_insert" AFTER INSERT ON "pets" WHEN NEW."status" IS NOT NULL
BEGIN
	UPDATE "inventory" SET "quantity" = "quantity" + 1 WHERE "status" = NEW."status";
END;
--> statement-breakpoint
CREATE TRIGGER "inventory_update" AFTER UPDATE OF "status" ON "pets" WHEN OLD."status" IS NOT NEW."status"
BEGIN
	UPDATE "inventory" SET "quantity" = "quantity" - 1 WHERE "status" = OLD."status";
	UPDATE "inventory" SET "quantity" = "quantity" + 1 WHERE "status" = NEW."status";
END;
--> statement-breakpoint
CREATE TRIGGER "inventory_delete" AFTER DELETE ON "pets" WHEN OLD."status" IS NOT NULL
BEGIN
	UPDATE "inventory" SET "quantity" = "quantity" - 1 WHERE "status" = OLD."status";
END;
--> statement-breakpoint
-- The tag lookup: which pets have a tag with a name. A tag is a string, or an object with an optional name.
CREATE TRIGGER "pet_tags_insert" AFTER INSERT ON "pets" WHEN NEW."tags" IS NOT NULL
BEGIN
	INSERT INTO "pet_tags" ("tag", "petId")
	SELECT DISTINCT "tag", NEW."id" FROM (SELECT iif("type" = 'text', "value", "value" ->> '$.name') AS "tag" FROM json_each(NEW."tags")) WHERE "tag" IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER "pet_tags_update" AFTER UPDATE OF "tags" ON "pets" WHEN OLD."tags" IS NOT NEW."tags"
BEGIN
	DELETE FROM "pet_tags" WHERE "petId" = OLD."id" AND "tag" IN (SELECT iif("type" = 'text', "value", "value" ->> '$.name') AS "tag" FROM json_each(OLD."tags"));
	INSERT INTO "pet_tags" ("tag", "petId")
	SELECT DISTINCT "tag", NEW."id" FROM (SELECT iif("type" = 'text', "value", "value" ->> '$.name') AS "tag" FROM json_each(NEW."tags")) WHERE "tag" IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER "pet_tags_delete" AFTER DELETE ON "pets" WHEN OLD."tags" IS NOT NULL
BEGIN
	DELETE FROM "pet_tags" WHERE "petId" = OLD."id" AND "tag" IN (SELECT iif("type" = 'text', "value", "value" ->> '$.name') AS "tag" FROM json_each(OLD."tags"));
END;
--> statement-breakpoint
-- Deletes orders 1 to 10 of a deleted account, because only those can be looked up. Deleting all orders would be unbounded.
CREATE TRIGGER "users_orders" AFTER DELETE ON "users"
BEGIN
	DELETE FROM "orders" WHERE "id" <= 10 AND "owner" = OLD."accountId";
END;
