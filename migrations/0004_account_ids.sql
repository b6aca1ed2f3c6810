-- `drizzle-kit generate` adds a column, which SQLite refuses where there are rows and the default is not constant: the
-- table is made anew. Its triggers go with it, and come again as they were.
CREATE TABLE "users_new" (
	"id" integer PRIMARY KEY NOT NULL,
	"username" text,
	"firstName" text,
	"lastName" text,
	"email" text,
	"sealedPassword" text,
	"phone" text,
	"userStatus" integer,
	"credentialId" text NOT NULL,
	"accountId" text DEFAULT (lower(hex(randomblob(16)))) NOT NULL,
	"version" integer DEFAULT (abs(random() % 281474976710656) + 1) NOT NULL,
	CONSTRAINT "users_id" CHECK("users_new"."id" between 1 and 9007199254740991),
	CONSTRAINT "users_username" CHECK(length("users_new"."username") between 1 and 128)
) STRICT;
--> statement-breakpoint
INSERT INTO "users_new" ("id", "username", "firstName", "lastName", "email", "sealedPassword", "phone", "userStatus", "credentialId", "version")
SELECT "id", "username", "firstName", "lastName", "email", "sealedPassword", "phone", "userStatus", "credentialId", "version" FROM "users";
--> statement-breakpoint
DROP TABLE "users";
--> statement-breakpoint
ALTER TABLE "users_new" RENAME TO "users";
--> statement-breakpoint
CREATE UNIQUE INDEX "users_username" ON "users" ("username");
--> statement-breakpoint
CREATE TRIGGER "users_id" AFTER INSERT ON "users"
BEGIN
	INSERT INTO "id_claims" ("resource", "id") VALUES ('users', NEW."id");
END;
--> statement-breakpoint
CREATE TRIGGER "users_version" BEFORE UPDATE ON "users" WHEN NEW."version" <> OLD."version" + 1 OR NEW."id" <> OLD."id" OR NEW."accountId" <> OLD."accountId"
BEGIN
	SELECT raise(ABORT, 'an update moves the version by one and keeps the ids');
END;
--> statement-breakpoint
-- The ids 1 to 10 are all that can be looked up: an account that is deleted does not keep them. A delete of orders
-- beyond them would have no bound.
CREATE TRIGGER "users_orders" AFTER DELETE ON "users"
BEGIN
	DELETE FROM "orders" WHERE "id" <= 10 AND "owner" = OLD."accountId";
END;
