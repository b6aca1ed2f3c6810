import { Hono } from "hono";
import { etag } from "hono/etag";
import * as v from "valibot";
import { pathOf } from "../http/address.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { sendList } from "../http/list.ts";
import { FORBIDDEN, authenticated, isForeign } from "../http/access.ts";
import { PRECONDITION_FAILED, conditionsOf, preconditions } from "../http/etag.ts";
import { later } from "../middleware/log.ts";
import { fileBody, json } from "../http/body.ts";
import { limitBody, smallBody } from "../http/body-limit.ts";
import { param, query } from "../http/validate.ts";
import { operation } from "../http/operation.ts";
import { MAX_FILE_BYTES, NO_ROOM, addImage, deleteImages, uploadMessage } from "./images.ts";
import * as pets from "./queries.ts";
import { NewPet3, Pet3, PetStatus, TagName } from "./schemas.ts";
import { INVALID_KEY, KEY_REUSED, createdRow, creationOf, refusalOf, sendRow } from "../http/resource.ts";
import { NonEmptyText, Once, PathId, Text, list, paging } from "../http/schemas.ts";
import { INVALID_INPUT, VALIDATION_EXCEPTION } from "../http/petstore3.ts";

const INVALID_ID = [400, "Invalid ID supplied"] as const;
const INVALID_PET = [400, "Invalid pet value"] as const;
const INVALID_STATUS = [400, "Invalid status value"] as const;
const INVALID_TAG = [400, "Invalid tag value"] as const;
const NO_FILE = [400, "No file uploaded"] as const;
const NOT_FOUND = [404, "Pet not found"] as const;
const DUPLICATE = [409, "Duplicate pet"] as const;
/** What `refusalOf` may give. */
const REFUSED = [NOT_FOUND, FORBIDDEN, PRECONDITION_FAILED] as const;

const byId = param({ petId: PathId }, INVALID_ID);
const byIdOfPet = param({ petId: PathId }, INVALID_PET);
const newPet = json(NewPet3, VALIDATION_EXCEPTION, { body: INVALID_INPUT });
const storedPet = json(Pet3, VALIDATION_EXCEPTION, { body: INVALID_ID, id: INVALID_ID });
const byStatus = query({ status: v.optional(list(PetStatus), ["available"]), ...paging }, INVALID_STATUS);
const byTags = query({ tags: list(TagName), ...paging }, INVALID_TAG);
const changes = query(
  {
    name: v.optional(v.pipe(Once, NonEmptyText)),
    status: v.optional(v.pipe(Once, PetStatus)),
  },
  INVALID_INPUT,
);
const metadata = query({ additionalMetadata: v.optional(v.pipe(Once, Text)) }, NO_FILE);

/** The operations on pets, below `/api/v3/pet`. */
export const petRoutes = new Hono<AppEnv>()
  .post("/", operation("addPet", DUPLICATE, INVALID_KEY, KEY_REUSED), authenticated, smallBody, newPet, async (c) => {
    const pet = c.req.valid("json");
    const made = await pets.createPet(c.get("db"), pet, creationOf(c), pets.petOf3);
    const row = createdRow(made, DUPLICATE);
    return sendRow(c, row, pets.petOf3, `/api/v3/pet/${row.id}`);
  })
  .put("/", operation("updatePet", ...REFUSED), authenticated, smallBody, storedPet, preconditions, async (c) => {
    const { id, ...pet } = c.req.valid("json");
    const row = await pets.changePet(c.get("db"), id, pet, conditionsOf(c));
    if (!row) throw refusalOf(c, await pets.findPet(c.get("db"), id), NOT_FOUND);
    return sendRow(c, row, pets.petOf3, `/api/v3/pet/${row.id}`);
  })
  .get("/findByStatus", operation("findPetsByStatus"), byStatus, async (c) => {
    const { status, ...asked } = c.req.valid("query");
    const find = (page: pets.Page) => pets.findPetsByStatus(c.get("db"), status, page);
    return sendList(c, asked, status.length, find, pets.petOf3);
  })
  .get("/findByTags", operation("findPetsByTags"), byTags, async (c) => {
    const { tags, ...asked } = c.req.valid("query");
    const find = (page: pets.Page) => pets.findPetsByTags(c.get("db"), tags, page);
    return sendList(c, asked, Math.min(tags.length, pets.TAGS_AT_ONCE), find, pets.petOf3);
  })
  .get("/:petId", operation("getPetById", NOT_FOUND), byId, preconditions, etag(), async (c) => {
    const row = await pets.findPet(c.get("db"), c.req.valid("param").petId);
    if (!row) throw new ApiError(NOT_FOUND);
    return sendRow(c, row, pets.petOf3);
  })
  .post(
    "/:petId",
    operation("updatePetWithForm", ...REFUSED),
    authenticated,
    byId,
    changes,
    preconditions,
    async (c) => {
      const { petId: id } = c.req.valid("param");
      const { name, status } = c.req.valid("query");
      if (name === undefined && status === undefined) {
        const message = "must have a name or a status";
        throw new ApiError(INVALID_INPUT, [{ path: "query", message }]);
      }
      const row = await pets.changePet(c.get("db"), id, { name, status }, conditionsOf(c));
      if (!row) throw refusalOf(c, await pets.findPet(c.get("db"), id), NOT_FOUND);
      return sendRow(c, row, pets.petOf3);
    },
  )
  .delete("/:petId", operation("deletePet", ...REFUSED), authenticated, byIdOfPet, preconditions, async (c) => {
    const { petId: id } = c.req.valid("param");
    const row = await pets.deletePet(c.get("db"), id, conditionsOf(c));
    if (!row) throw refusalOf(c, await pets.findPet(c.get("db"), id), NOT_FOUND);
    later(c, deleteImages(c.get("images"), `${id}/`, new Date()));
    return c.text("Pet deleted");
  })
  .post(
    "/:petId/uploadImage",
    operation("uploadFile", NOT_FOUND, FORBIDDEN),
    authenticated,
    byId,
    metadata,
    limitBody(MAX_FILE_BYTES),
    fileBody,
    async (c) => {
      const { petId: id } = c.req.valid("param");
      const { additionalMetadata } = c.req.valid("query");
      const file = await c.req.blob();
      if (file.size === 0) throw new ApiError(NO_FILE, [{ path: "file", message: "is empty" }]);
      const pet = await pets.findPet(c.get("db"), id);
      if (!pet || isForeign(c, pet)) throw refusalOf(c, pet, NOT_FOUND);
      const urlOf = (name: string) => pathOf(c, `/v2/pet/${id}/images/${name}`);
      const changed = await addImage(c.get("db"), c.get("images"), pet, file, urlOf);
      if (!changed) throw new ApiError(NOT_FOUND);
      if (changed === "full") throw new ApiError(NO_FILE, [NO_ROOM]);
      const message = uploadMessage("file", file.size, additionalMetadata);
      return c.json({ code: 200, type: "unknown", message });
    },
  );
