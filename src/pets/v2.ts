import type { Context } from "hono";
import { Hono } from "hono/tiny";
import * as v from "valibot";
import { authenticated, ownerOnly } from "../http/access.ts";
import { MULTIPART, form, json } from "../http/body.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { conditional, getFileConditions } from "../http/etag.ts";
import { sendList } from "../http/list.ts";
import { operation } from "../http/operation.ts";
import { tooLarge } from "../http/read-body.ts";
import { apiResponse, rowOrThrow, getCreation, validateIdempotencyKey, sendResource } from "../http/resource.ts";
import { PathId, list, paging } from "../http/schemas.ts";
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
import { IMAGE_NAME, MAX_FILE_BYTES, MAX_FORM_BYTES, findImage, uploadMessage } from "./images.ts";
import { TAGS_AT_ONCE, createPet, findPetsByStatus, findPetsByTags, toPet } from "./queries.ts";
import { NewPet, Pet, PetChanges, PetStatus, TagName, Upload } from "./schemas.ts";
import { UNSATISFIABLE, sendImage } from "./send-image.ts";

const INVALID_ID = [400, "Invalid ID supplied"] as const;
const INVALID_INPUT = [405, "Invalid input"] as const;
const VALIDATION_EXCEPTION = [405, "Validation exception"] as const;
const INVALID_STATUS = [400, "Invalid status value"] as const;
const INVALID_TAG = [400, "Invalid tag value"] as const;
const INVALID_IMAGE = [400, "Invalid image supplied"] as const;
const IMAGE_NOT_FOUND = [404, "Image not found"] as const;
const FILE_TOO_LARGE = tooLarge(MAX_FILE_BYTES);

// A name that no image has returns 404.
const ImageName = v.pipe(v.string(), v.metadata({ pattern: IMAGE_NAME.source }));

const petParam = param({ petId: PathId }, INVALID_ID);
const imageParams = param({ petId: PathId, name: ImageName }, INVALID_ID);
const statusQuery = query({ status: list(PetStatus), ...paging }, INVALID_STATUS);
const tagsQuery = query({ tags: list(TagName), ...paging }, INVALID_TAG);
const newPetBody = json(NewPet, INVALID_INPUT);
const petBody = json(Pet, VALIDATION_EXCEPTION, { byField: { id: INVALID_ID } });
const petForm = form(PetChanges, INVALID_INPUT);
const uploadForm = form(Upload, INVALID_IMAGE, {
  mediaTypes: [MULTIPART],
  limit: MAX_FORM_BYTES,
  tooLarge: FILE_TOO_LARGE,
});

/** Rejects changes in the query, where `/api/v3` takes them. Throws `ApiError` 405. */
function rejectQuery(c: Context): void {
  const sent = Object.keys(PetChanges.entries).filter((path) => c.req.query(path) !== undefined);
  if (sent.length === 0) return;
  throw new ApiError(
    INVALID_INPUT,
    sent.map((path) => ({ path, message: "must be in the body, not in the query" })),
  );
}

/** The operations on pets, below `/v2/pet`. */
export const petRoutes = new Hono<AppEnv>()
  .post("/", operation("addPet"), authenticated, newPetBody, validateIdempotencyKey, async (c) => {
    const created = await createPet(c.get("db"), c.req.valid("json"), getCreation(c), toPet);
    const row = rowOrThrow(created, INVALID_INPUT);
    return sendResource(c, row, toPet, `/v2/pet/${row.id}`);
  })
  .put("/", operation("updatePet", NOT_FOUND), ownerOnly, petBody, conditional, async (c) => {
    const row = await replacePetOrThrow(c, c.req.valid("json"));
    return sendResource(c, row, toPet, `/v2/pet/${row.id}`);
  })
  .get("/findByStatus", operation("findPetsByStatus"), statusQuery, async (c) => {
    const { status, ...range } = c.req.valid("query");
    return sendList(c, range, status.length, (page) => findPetsByStatus(c.get("db"), status, page), toPet);
  })
  .get("/findByTags", operation("findPetsByTags"), tagsQuery, async (c) => {
    const { tags, ...range } = c.req.valid("query");
    const queries = Math.min(tags.length, TAGS_AT_ONCE);
    return sendList(c, range, queries, (page) => findPetsByTags(c.get("db"), tags, page), toPet);
  })
  .get("/:petId", operation("getPetById", NOT_FOUND), petParam, conditional, async (c) => {
    return sendResource(c, await getPetOrThrow(c, c.req.valid("param").petId), toPet);
  })
  .post("/:petId", operation("updatePetWithForm", NOT_FOUND), ownerOnly, petParam, petForm, conditional, async (c) => {
    const { petId } = c.req.valid("param");
    const changes = c.req.valid("form");
    if (changes.name === undefined && changes.status === undefined) rejectQuery(c);
    await updatePetOrThrow(c, petId, changes);
    return sendJson(c, apiResponse(String(petId)));
  })
  .delete("/:petId", operation("deletePet", NOT_FOUND), ownerOnly, petParam, conditional, async (c) => {
    const { petId } = c.req.valid("param");
    await deletePetOrThrow(c, petId);
    return sendJson(c, apiResponse(String(petId)));
  })
  .post(
    "/:petId/uploadImage",
    operation("uploadFile", NOT_FOUND),
    ownerOnly,
    petParam,
    uploadForm,
    conditional,
    async (c) => {
      const { file, additionalMetadata } = c.req.valid("form");
      if (file.size > MAX_FILE_BYTES) throw new ApiError(FILE_TOO_LARGE);
      await addImageOrThrow(c, c.req.valid("param").petId, file, INVALID_IMAGE);
      return sendJson(c, apiResponse(uploadMessage(file.name, file.size, additionalMetadata)));
    },
  )
  .get(
    "/:petId/images/:name",
    operation("getPetImage", IMAGE_NOT_FOUND, UNSATISFIABLE),
    imageParams,
    conditional,
    async (c) => {
      const { petId, name } = c.req.valid("param");
      // R2 does not support `If-Range`. Ignoring a range is always allowed, and HEAD has none.
      const isWhole = c.req.method === "HEAD" || c.req.header("If-Range") !== undefined;
      const range = isWhole ? undefined : c.req.header("Range");
      const found = await findImage(c.get("images"), petId, name, getFileConditions(c), range);
      if (!found) throw new ApiError(IMAGE_NOT_FOUND);
      return sendImage(c, found.file, found.part);
    },
  );
