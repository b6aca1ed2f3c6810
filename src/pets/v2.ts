import { Hono } from "hono";
import { etag } from "hono/etag";
import * as v from "valibot";
import { pathOf } from "../http/address.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { sendList } from "../http/list.ts";
import { FORBIDDEN, authenticated, isForeign } from "../http/access.ts";
import { PRECONDITION_FAILED, conditionsOf, fileConditions, preconditions } from "../http/etag.ts";
import { later } from "../middleware/log.ts";
import { MULTIPART, form, json } from "../http/body.ts";
import { limitBody, smallBody, tooLarge } from "../http/body-limit.ts";
import { param, query } from "../http/validate.ts";
import { operation } from "../http/operation.ts";
import {
  IMAGE_NAME,
  MAX_FILE_BYTES,
  MAX_FORM_BYTES,
  NO_ROOM,
  addImage,
  deleteImages,
  findImage,
  uploadMessage,
} from "./images.ts";
import * as pets from "./queries.ts";
import { NewPet, Pet, PetChanges, PetStatus, TagName, Upload } from "./schemas.ts";
import { INVALID_KEY, KEY_REUSED, createdRow, creationOf, refusalOf, sendRow } from "../http/resource.ts";
import { PathId, list, paging } from "../http/schemas.ts";
import { apiResponse } from "../http/petstore2.ts";
import { sendImage } from "./send-image.ts";

const OF_PETS = { Allow: "POST, PUT, OPTIONS" };
const OF_A_PET = { Allow: "GET, HEAD, POST, DELETE, OPTIONS" };

const INVALID_ID = [400, "Invalid ID supplied"] as const;
const INVALID_INPUT = [405, "Invalid input", OF_PETS] as const;
const INVALID_CHANGES = [405, "Invalid input", OF_A_PET] as const;
const VALIDATION_EXCEPTION = [405, "Validation exception", OF_PETS] as const;
const INVALID_STATUS = [400, "Invalid status value"] as const;
const INVALID_TAG = [400, "Invalid tag value"] as const;
const INVALID_IMAGE = [400, "Invalid image supplied"] as const;
const NOT_FOUND = [404, "Pet not found"] as const;
const IMAGE_NOT_FOUND = [404, "Image not found"] as const;
const FILE_TOO_LARGE = tooLarge(MAX_FILE_BYTES);
const UNSATISFIABLE = [416, "Range not satisfiable"] as const;
/** What `refusalOf` may give. */
const REFUSED = [NOT_FOUND, FORBIDDEN, PRECONDITION_FAILED] as const;

const byId = param({ petId: PathId }, INVALID_ID);
const newPet = json(NewPet, INVALID_INPUT);
const storedPet = json(Pet, VALIDATION_EXCEPTION, { id: INVALID_ID });
const byStatus = query({ status: list(PetStatus), ...paging }, INVALID_STATUS);
const byTags = query({ tags: list(TagName), ...paging }, INVALID_TAG);
const changes = form(PetChanges, INVALID_CHANGES);
const image = form(Upload, INVALID_IMAGE, [MULTIPART]);
// A name that no image has is 404.
const ImageName = v.pipe(v.string(), v.metadata({ pattern: IMAGE_NAME.source }));
const byName = param({ petId: PathId, name: ImageName }, INVALID_ID);

/** The operations on pets, below `/v2/pet`. */
export const petRoutes = new Hono<AppEnv>()
  .post("/", operation("addPet", INVALID_KEY, KEY_REUSED), authenticated, smallBody, newPet, async (c) => {
    const pet = c.req.valid("json");
    const made = await pets.createPet(c.get("db"), pet, creationOf(c), pets.petOf);
    const row = createdRow(made, INVALID_INPUT);
    return sendRow(c, row, pets.petOf, `/v2/pet/${row.id}`);
  })
  .put("/", operation("updatePet", ...REFUSED), authenticated, smallBody, storedPet, preconditions, async (c) => {
    const { id, ...pet } = c.req.valid("json");
    const row = await pets.changePet(c.get("db"), id, pet, conditionsOf(c));
    if (!row) throw refusalOf(c, await pets.findPet(c.get("db"), id), NOT_FOUND);
    return sendRow(c, row, pets.petOf, `/v2/pet/${row.id}`);
  })
  .get("/findByStatus", operation("findPetsByStatus"), byStatus, async (c) => {
    const { status, ...asked } = c.req.valid("query");
    const find = (page: pets.Page) => pets.findPetsByStatus(c.get("db"), status, page);
    return sendList(c, asked, status.length, find, pets.petOf);
  })
  .get("/findByTags", operation("findPetsByTags"), byTags, async (c) => {
    const { tags, ...asked } = c.req.valid("query");
    const find = (page: pets.Page) => pets.findPetsByTags(c.get("db"), tags, page);
    return sendList(c, asked, Math.min(tags.length, pets.TAGS_AT_ONCE), find, pets.petOf);
  })
  .get("/:petId", operation("getPetById", NOT_FOUND), byId, preconditions, etag(), async (c) => {
    const row = await pets.findPet(c.get("db"), c.req.valid("param").petId);
    if (!row) throw new ApiError(NOT_FOUND);
    return sendRow(c, row, pets.petOf);
  })
  .post(
    "/:petId",
    operation("updatePetWithForm", ...REFUSED),
    authenticated,
    byId,
    smallBody,
    changes,
    preconditions,
    async (c) => {
      const { petId: id } = c.req.valid("param");
      const row = await pets.changePet(c.get("db"), id, c.req.valid("form"), conditionsOf(c));
      if (!row) throw refusalOf(c, await pets.findPet(c.get("db"), id), NOT_FOUND);
      return c.json(apiResponse(String(id)));
    },
  )
  .delete("/:petId", operation("deletePet", ...REFUSED), authenticated, byId, preconditions, async (c) => {
    const { petId: id } = c.req.valid("param");
    const row = await pets.deletePet(c.get("db"), id, conditionsOf(c));
    if (!row) throw refusalOf(c, await pets.findPet(c.get("db"), id), NOT_FOUND);
    later(c, deleteImages(c.get("images"), `${id}/`, new Date()));
    return c.json(apiResponse(String(id)));
  })
  .post(
    "/:petId/uploadImage",
    operation("uploadFile", NOT_FOUND, FORBIDDEN),
    authenticated,
    byId,
    limitBody(MAX_FORM_BYTES, FILE_TOO_LARGE),
    image,
    async (c) => {
      const { petId: id } = c.req.valid("param");
      const { file, additionalMetadata } = c.req.valid("form");
      if (file.size > MAX_FILE_BYTES) throw new ApiError(FILE_TOO_LARGE);
      const pet = await pets.findPet(c.get("db"), id);
      if (!pet || isForeign(c, pet)) throw refusalOf(c, pet, NOT_FOUND);
      const urlOf = (name: string) => pathOf(c, `/v2/pet/${id}/images/${name}`);
      const changed = await addImage(c.get("db"), c.get("images"), pet, file, urlOf);
      if (!changed) throw new ApiError(NOT_FOUND);
      if (changed === "full") throw new ApiError(INVALID_IMAGE, [NO_ROOM]);
      return c.json(apiResponse(uploadMessage(file.name, file.size, additionalMetadata)));
    },
  )
  .get(
    "/:petId/images/:name",
    operation("getPetImage", IMAGE_NOT_FOUND, PRECONDITION_FAILED, UNSATISFIABLE),
    byName,
    preconditions,
    async (c) => {
      const { petId: id, name } = c.req.valid("param");
      const found = await findImage(c.get("images"), id, name, fileConditions(c), c.req.raw.headers);
      if (!found) throw new ApiError(IMAGE_NOT_FOUND);
      if (found === "unsatisfiable") throw new ApiError(UNSATISFIABLE);
      return sendImage(c, found);
    },
  );
