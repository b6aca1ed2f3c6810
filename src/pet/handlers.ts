import { unsupportedType } from "../http/body.ts";
import { ApiError } from "../http/errors.ts";
import { implementOnce } from "../http/idempotency.ts";
import { changeFailure, fail, implement } from "../http/implement.ts";
import { listOf } from "../http/list.ts";
import { matchesNone } from "../http/validators.ts";
import { apiResponse, sameContent } from "../http/schemas.ts";
import * as contract from "./contract.ts";
import {
  deleteImage,
  deleteImages,
  findImage,
  imageName,
  imageTypeOf,
  imageUrl,
  partOf,
  readImage,
  storeImage,
} from "./images.ts";
import * as queries from "./queries.ts";
import type { StoredPet } from "./queries.ts";

/** A pet as a success shows it. */
const success = ({ id, json, version }: StoredPet) => ({ body: json, version, id });

export const addPet = implementOnce(
  contract.addPet,
  async ({ body, db }) => {
    const { inserted, ...pet } = await queries.insertPet(db, body);
    // The same content again is a retry; other content must never overwrite.
    if (!inserted && !sameContent(JSON.parse(pet.json.text), body)) {
      return fail(405, [{ path: "id", message: "is taken by another pet" }]);
    }
    return success(pet);
  },
  {
    keep: queries.keepPet,
    answer: ({ body }, created) => success(queries.newPetAs(body, created)),
  },
);

export const updatePet = implement(contract.updatePet, async ({ body, db, preconditions }) => {
  const stored = await queries.replacePet(db, body, preconditions);
  if (typeof stored === "string") return changeFailure(stored);
  return success(stored);
});

export const updatePetWithForm = implementOnce(
  contract.updatePetWithForm,
  async ({ params, body, db, preconditions }) => {
    const updated = await queries.updatePet(db, params.petId, body, preconditions);
    if (typeof updated === "string") return changeFailure(updated);
    return { body: apiResponse(String(updated.id)) };
  },
  { keep: null, answer: ({ params }) => ({ body: apiResponse(String(params.petId)) }) },
);

const NOT_AN_IMAGE = { path: "file", message: "must be a PNG, JPEG, GIF or WebP image" };

/** What the reference says of an upload. */
const uploaded = ({ file: { name, size }, additionalMetadata }: contract.ImageForm) => {
  const said =
    additionalMetadata === undefined ? "" : `additionalMetadata: ${additionalMetadata}\n`;
  return { body: apiResponse(`${said}File uploaded to ./${name}, ${size} bytes`) };
};

export const uploadFile = implementOnce(
  contract.uploadFile,
  async ({ params, body, db, images }, claim) => {
    const { file } = body;
    if (file.size > contract.MAX_IMAGE_BYTES) throw ApiError.general(413);
    const bytes = await file.bytes();
    const type = imageTypeOf(bytes);
    if (!type) throw unsupportedType("multipart", [NOT_AN_IMAGE]);
    const name = imageName(type, claim);
    await storeImage(images, params.petId, name, bytes, type);
    // Where this fails, the URL may be stored all the same: then the image must be there.
    const appended = await queries.appendPhotoUrl(db, params.petId, imageUrl(params.petId, name));
    if (typeof appended === "string") await deleteImage(images, params.petId, name);
    if (appended === "missing") return fail(404);
    if (appended === "changed") {
      return fail(400, [{ path: "photoUrls", message: "have no room for another URL" }]);
    }
    return uploaded(body);
  },
  { keep: null, answer: ({ body }) => uploaded(body) },
);

export const getPetImage = implement(
  contract.getPetImage,
  async ({ params: { petId, name }, headers, method, images }) => {
    const image = await findImage(images, petId, name);
    if (image === undefined) return fail(404);
    const { etag, httpEtag, httpMetadata, size } = image;
    const shown = {
      ETag: httpEtag,
      "Content-Type": httpMetadata?.contentType ?? "application/octet-stream",
      "Accept-Ranges": "bytes",
      // The bytes are somebody's: no browser may take them for more than an image.
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    };
    if (!matchesNone(headers.get("if-none-match"), etag)) {
      return { body: undefined, status: 304, headers: shown };
    }
    // Only GET has ranges (RFC 9110 §14.2); one that hangs on If-Range may be answered with the whole.
    const ranged = method === "GET" && !headers.has("if-range");
    const part = ranged ? partOf(headers.get("range") ?? "", size) : undefined;
    if (part === "unsatisfiable") return fail(416, [], { "Content-Range": `bytes */${size}` });
    const body = await readImage(images, petId, name, part);
    if (body === undefined) return fail(404);
    if (part === undefined) return { body, headers: shown };
    const range = `bytes ${part.first}-${part.last}/${size}`;
    return { body, status: 206, headers: { ...shown, "Content-Range": range } };
  },
);

export const findPetsByStatus = implement(contract.findPetsByStatus, async ({ query, db, url }) =>
  listOf(query, url, async (page) => queries.listPetsByStatus(db, query.status, page)),
);

export const findPetsByTags = implement(contract.findPetsByTags, async ({ query, db, url }) =>
  listOf(query, url, async (page) => queries.listPetsByTags(db, query.tags, page)),
);

export const getPetById = implement(contract.getPetById, async ({ params, db }) => {
  const stored = await queries.findPet(db, params.petId);
  return stored ? success(stored) : fail(404);
});

export const deletePet = implement(
  contract.deletePet,
  async ({ params, db, images, preconditions }) => {
    const deleted = await queries.deletePet(db, params.petId, preconditions);
    // Whoever repeats a delete that was cut short finds no pet any more, but perhaps its images.
    if (deleted === "missing") await deleteImages(images, params.petId);
    if (typeof deleted === "string") return changeFailure(deleted);
    if (deleted.images > 0) await deleteImages(images, deleted.id);
    return { body: apiResponse(String(deleted.id)) };
  },
);
