import { Hono } from "hono/tiny";
import * as v from "valibot";
import { authenticated, ownerOnly } from "../http/access.ts";
import { fileBody, json } from "../http/body.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { conditional } from "../http/etag.ts";
import { sendList } from "../http/list.ts";
import { operation } from "../http/operation.ts";
import { readBody } from "../http/read-body.ts";
import { apiResponse, rowOrThrow, getCreation, validateIdempotencyKey, sendResource } from "../http/resource.ts";
import { NonEmptyText, PathId, SingleValue, Text, list, paging } from "../http/schemas.ts";
import { sendJson } from "../http/send-json.ts";
import { param, query } from "../http/validate.ts";
import {
  NOT_FOUND,
  getPetOrThrow,
  replacePetOrThrow,
  deletePetOrThrow,
  updatePetOrThrow,
  addImageOrThrow,
} from "./handlers.ts";
import { MAX_FILE_BYTES, uploadMessage } from "./images.ts";
import { TAGS_AT_ONCE, createPet, findPetsByStatus, findPetsByTags, toPet3 } from "./queries.ts";
import { NewPet3, Pet3, PetStatus, TagName } from "./schemas.ts";

const INVALID_ID = [400, "Invalid ID supplied"] as const;
const INVALID_INPUT = [400, "Invalid input"] as const;
const INVALID_PET = [400, "Invalid pet value"] as const;
const INVALID_STATUS = [400, "Invalid status value"] as const;
const INVALID_TAG = [400, "Invalid tag value"] as const;
const NO_FILE = [400, "No file uploaded"] as const;
const DUPLICATE = [409, "Duplicate pet"] as const;
const VALIDATION_EXCEPTION = [422, "Validation exception"] as const;

const petParam = param({ petId: PathId }, INVALID_ID);
const deletedPetParam = param({ petId: PathId }, INVALID_PET);
const statusQuery = query({ status: v.optional(list(PetStatus), ["available"]), ...paging }, INVALID_STATUS);
const tagsQuery = query({ tags: list(TagName), ...paging }, INVALID_TAG);
const changesQuery = query(
  {
    name: v.optional(v.pipe(SingleValue, NonEmptyText)),
    status: v.optional(v.pipe(SingleValue, PetStatus)),
  },
  INVALID_INPUT,
);
const metadataQuery = query({ additionalMetadata: v.optional(v.pipe(SingleValue, Text)) }, NO_FILE);
const newPetBody = json(NewPet3, VALIDATION_EXCEPTION, { byField: { body: INVALID_INPUT } });
const petBody = json(Pet3, VALIDATION_EXCEPTION, { byField: { body: INVALID_ID, id: INVALID_ID } });

/** The operations on pets, below `/api/v3/pet`. */
export const petRoutes = new Hono<AppEnv>()
  .post("/", operation("addPet", DUPLICATE), authenticated, newPetBody, validateIdempotencyKey, async (c) => {
    const created = await createPet(c.get("db"), c.req.valid("json"), getCreation(c), toPet3);
    const row = rowOrThrow(created, DUPLICATE);
    return sendResource(c, row, toPet3, `/api/v3/pet/${row.id}`);
  })
  .put("/", operation("updatePet", NOT_FOUND), ownerOnly, petBody, conditional, async (c) => {
    const row = await replacePetOrThrow(c, c.req.valid("json"));
    return sendResource(c, row, toPet3, `/api/v3/pet/${row.id}`);
  })
  .get("/findByStatus", operation("findPetsByStatus"), statusQuery, async (c) => {
    const { status, ...range } = c.req.valid("query");
    return sendList(c, range, status.length, (page) => findPetsByStatus(c.get("db"), status, page), toPet3);
  })
  .get("/findByTags", operation("findPetsByTags"), tagsQuery, async (c) => {
    const { tags, ...range } = c.req.valid("query");
    const queries = Math.min(tags.length, TAGS_AT_ONCE);
    return sendList(c, range, queries, (page) => findPetsByTags(c.get("db"), tags, page), toPet3);
  })
  .get("/:petId", operation("getPetById", NOT_FOUND), petParam, conditional, async (c) => {
    return sendResource(c, await getPetOrThrow(c, c.req.valid("param").petId), toPet3);
  })
  .post(
    "/:petId",
    operation("updatePetWithForm", NOT_FOUND),
    ownerOnly,
    petParam,
    changesQuery,
    conditional,
    async (c) => {
      const { name, status } = c.req.valid("query");
      if (name === undefined && status === undefined) {
        throw new ApiError(INVALID_INPUT, [{ path: "query", message: "must have a name or a status" }]);
      }
      const row = await updatePetOrThrow(c, c.req.valid("param").petId, { name, status });
      return sendResource(c, row, toPet3, `/api/v3/pet/${row.id}`);
    },
  )
  .delete("/:petId", operation("deletePet", NOT_FOUND), ownerOnly, deletedPetParam, conditional, async (c) => {
    await deletePetOrThrow(c, c.req.valid("param").petId);
    // Without a status, Hono would leave the `Content-Type` to the runtime, which spells it differently.
    return c.text("Pet deleted", 200);
  })
  .post(
    "/:petId/uploadImage",
    operation("uploadFile", NOT_FOUND),
    ownerOnly,
    petParam,
    metadataQuery,
    fileBody(MAX_FILE_BYTES),
    conditional,
    async (c) => {
      const file = new Blob([await readBody(c, MAX_FILE_BYTES, NO_FILE)]);
      if (file.size === 0) throw new ApiError(NO_FILE, [{ path: "file", message: "is empty" }]);
      await addImageOrThrow(c, c.req.valid("param").petId, file, NO_FILE);
      return sendJson(c, apiResponse(uploadMessage("file", file.size, c.req.valid("query").additionalMetadata)));
    },
  );
