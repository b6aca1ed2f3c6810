import type { Services } from "../services.ts";
import { unsupportedType } from "../http/body.ts";
import { ApiError } from "../http/errors.ts";
import { changeFailure, fail } from "../http/handler.ts";
import { implement } from "../http/implement.ts";
import { listOf } from "../http/list.ts";
import { readTagPreconditions, statusOfRead } from "../http/etag.ts";
import { BY_CLIENT } from "../http/respond.ts";
import { apiResponse, sameContent } from "../http/schemas.ts";
import * as contract from "./contract.ts";
import { awaitImage } from "./image-queries.ts";
import type { ImageKey } from "./image-queries.ts";
import {
  bytesOf,
  deleteImages,
  findImage,
  imageName,
  imageTypeOf,
  imageUrl,
  partOf,
  storeImage,
} from "./images.ts";
import { listPetsByStatus, listPetsByTags } from "./pages.ts";
import * as queries from "./queries.ts";
import type { StoredPet } from "./row.ts";

/** The success that shows a pet. */
const success = ({ id, json, version }: StoredPet) => ({ body: json, version, id });

export const addPet = implement(
  contract.addPet,
  async ({ body, db }) => {
    const pet = await queries.insertPet(db, body);
    // The same content again is a retry; other content must never overwrite.
    if (!pet.inserted && !sameContent(JSON.parse(pet.json.text), body)) {
      return fail(405, [{ path: "id", message: "is taken by another pet" }]);
    }
    return success(pet);
  },
  {
    creates: "pets",
    answer: ({ body }, created) => success(queries.newPetAs(body, created)),
  },
);

export const updatePet = implement(contract.updatePet, async ({ body, db, preconditions }) => {
  const stored = await queries.replacePet(db, body, preconditions);
  if (typeof stored === "string") return changeFailure(stored);
  return success(stored);
});

export const updatePetWithForm = implement(
  contract.updatePetWithForm,
  async ({ params, body, db, preconditions }) => {
    const updated = await queries.updatePet(db, params.petId, body, preconditions);
    if (updated === "full") {
      return fail(405, [{ path: "name", message: "makes the pet too large" }]);
    }
    if (typeof updated === "string") return changeFailure(updated);
    return { body: apiResponse(String(updated.id)) };
  },
  { creates: null, answer: ({ params }) => ({ body: apiResponse(String(params.petId)) }) },
);

const NOT_AN_IMAGE = { path: "file", message: "must be a PNG, JPEG, GIF or WebP image" };

/** Swagger Petstore's message after an upload. */
const uploaded = ({ file: { name, size }, additionalMetadata }: contract.ImageForm) => {
  const said =
    additionalMetadata === undefined ? "" : `additionalMetadata: ${additionalMetadata}\n`;
  return { body: apiResponse(`${said}File uploaded to ./${name}, ${size} bytes`) };
};

export const uploadFile = implement(
  contract.uploadFile,
  async (call) => {
    const { params, body, db, images, now, basePath } = call;
    const { file } = body;
    if (file.size > contract.MAX_IMAGE_BYTES) throw ApiError.general(413);
    const type = await imageTypeOf(file);
    if (!type) throw unsupportedType("multipart", [NOT_AN_IMAGE]);
    const image = { petId: params.petId, name: imageName(type) };
    if (!(await awaitImage(db, image, now()))) return fail(404);
    await storeImage(images, image, file, type);
    // If this fails, the URL may still be stored, so the image must stay.
    const appended = await queries.appendPhotoUrl(db, image, imageUrl(basePath, image));
    if (appended !== "appended") await deleteAtLeisure(call, [image]);
    if (appended === "missing") return fail(404);
    if (appended === "changed") {
      return fail(400, [{ path: "photoUrls", message: "have no room for another URL" }]);
    }
    return uploaded(body);
  },
  { creates: null, answer: ({ body }) => uploaded(body) },
);

export const getPetImage = implement(
  contract.getPetImage,
  async ({ params: { petId, name }, headers, method, images }) => {
    const key = { petId, name };
    const isGet = method === "GET";
    // Only GET has ranges (RFC 9110 §14.2).
    const range = (isGet && headers.get("range")) || "";
    const conditions = readTagPreconditions(headers);
    const isPlain = range === "" && !headers.has("if-match") && !headers.has("if-none-match");
    const image = await findImage(images, key, isGet && isPlain);
    if (!image) return fail(404);
    const { etag, httpEtag, httpMetadata, size } = image;
    const shown = {
      ETag: httpEtag,
      "Accept-Ranges": "bytes",
      ...BY_CLIENT,
    };
    const status = statusOfRead(conditions, etag);
    if (status === 412) return fail(412);
    if (status === 304) return { body: undefined, status, headers: shown };
    // The tags of R2 are strong, so no weak one is equal (RFC 9110 §13.1.5).
    const isCurrent = (headers.get("if-range") ?? httpEtag) === httpEtag;
    const part = isCurrent ? partOf(range, size) : undefined;
    if (part === "unsatisfiable") {
      return fail(416, [], { "Content-Range": `bytes */${size}` });
    }
    const typed = {
      ...shown,
      "Content-Type": httpMetadata?.contentType ?? "application/octet-stream",
    };
    if (!isGet) return { body: undefined, headers: typed };
    const body = await bytesOf(images, key, image, part);
    if (body === undefined) return fail(404);
    const { first, last } = part ?? { first: 0, last: size - 1 };
    const sized = { ...typed, "Content-Length": String(last - first + 1) };
    if (part === undefined) return { body, headers: sized };
    const contentRange = `bytes ${first}-${last}/${size}`;
    return { body, status: 206, headers: { ...sized, "Content-Range": contentRange } };
  },
);

export const findPetsByStatus = implement(contract.findPetsByStatus, async ({ query, db, url }) =>
  listOf(query, url, async (page) => listPetsByStatus(db, query.status, page)),
);

export const findPetsByTags = implement(contract.findPetsByTags, async ({ query, db, url }) =>
  listOf(query, url, async (page) => listPetsByTags(db, query.tags, page)),
);

export const getPetById = implement(contract.getPetById, async ({ params, db }) => {
  const stored = await queries.findPet(db, params.petId);
  return stored ? success(stored) : fail(404);
});

export const deletePet = implement(contract.deletePet, async (call) => {
  const { params, db, preconditions } = call;
  const deleted = await queries.deletePet(db, params.petId, preconditions);
  if (typeof deleted === "string") return changeFailure(deleted);
  const { id, images } = deleted;
  await deleteAtLeisure(
    call,
    images.map((name) => ({ petId: id, name })),
  );
  return { body: apiResponse(String(id)) };
});

/** Deletes images before the answer. A fault does not fail the request: the hourly run deletes the rest. */
async function deleteAtLeisure(
  { db, images, report }: Services,
  keys: readonly ImageKey[],
): Promise<void> {
  await deleteImages(db, images, keys).catch(report);
}
