-- Idempotency keys keep the ids of a request that created several resources.
ALTER TABLE "idempotency_keys" ADD "ids" text;
--> statement-breakpoint
-- An upload belongs to the pet that it was sent to, and not to a later one with the same id. Its row keeps the time when
-- it is due, because R2 may still get the image.
ALTER TABLE "pet_images" ADD "isOrphan" integer;
--> statement-breakpoint
DROP TRIGGER "pet_images_delete";
--> statement-breakpoint
CREATE TRIGGER "pet_images_delete" AFTER DELETE ON "pets"
BEGIN
	UPDATE "pet_images" SET "dueAt" = coalesce("dueAt", 0), "isOrphan" = iif("dueAt" > 0, 1, NULL)
	WHERE "petId" = OLD."id" AND "dueAt" IS NOT 0;
END;
