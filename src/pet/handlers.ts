import type { Services } from "../env.ts";
import { ApiError } from "../http/errors.ts";
import { implementOnce } from "../http/idempotency.ts";
import { changeFailure, fail, implement } from "../http/implement.ts";
import { listOf } from "../http/list.ts";
import { matchesNone, matchesOne } from "../http/validators.ts";
import { apiResponse, sameContent } from "../http/schemas.ts";
import * as contract from "./contract.ts";
import { awaitImage } from "./image-queries.ts";
import type { ImageKey } from "./image-queries.ts";
import {
  bytesOf,
  deleteImages,
  discard,
  findImage,
  imageName,
  imageTypeOf,
  imageUrl,
  partOf,
  storeImage,
} from "./images.ts";
import * as queries from "./queries.ts";

export const addPet = implementOnce(
  contract.addPet,
  async ({ body, db }) => {
    const { inserted, json, version } = await queries.insertPet(db, body);
    // The same content again is a retry; other content must never overwrite.
    if (!inserted && !sameContent(JSON.parse(json.text), body)) {
      return fail(405, [{ path: "id", message: "is taken by another pet" }]);
    }
    return { body: json, version };
  },
  {
    keep: queries.keepPet,
    answer: ({ body }, created) => {
      const { json, version } = queries.newPetAs(body, created);
      return { body: json, version };
    },
  },
);

export const updatePet = implement(contract.updatePet, async ({ body, db, ifMatch }) => {
  const stored = await queries.replacePet(db, body, ifMatch);
  if (typeof stored === "string") return changeFailure(stored);
  return { body: stored.json, version: stored.version };
});

export const updatePetWithForm = implementOnce(
  contract.updatePetWithForm,
  async ({ params, body, db, ifMatch }) => {
    const updated = await queries.updatePet(db, params.petId, body, ifMatch);
    if (updated === "full") {
      return fail(405, [{ path: "name", message: "is too long for a pet that large" }]);
    }
    if (typeof updated === "string") return changeFailure(updated);
    return { body: apiResponse(String(updated.id)) };
  },
  { keep: null, answer: ({ params }) => ({ body: apiResponse(String(params.petId)) }) },
);

/** What the reference says of an upload. */
const uploaded = ({ file: { name, size }, additionalMetadata }: contract.ImageForm) => {
  const said =
    additionalMetadata === undefined ? "" : `additionalMetadata: ${additionalMetadata}\n`;
  return { body: apiResponse(`${said}File uploaded to ./${name}, ${size} bytes`) };
};

export const uploadFile = implementOnce(
  contract.uploadFile,
  async (call) => {
    const { params, body, db, images, now } = call;
    const { file } = body;
    if (file.size > contract.MAX_IMAGE_BYTES) throw ApiError.general(413);
    const bytes = await file.bytes();
    const type = imageTypeOf(bytes);
    if (!type) throw ApiError.general(415);
    const image = { petId: params.petId, name: imageName(type) };
    if (!(await awaitImage(db, image, now()))) return fail(404);
    await storeImage(images, image, bytes, type);
    // Where this fails, the URL may be stored all the same: then the image must be there.
    const appended = await queries.appendPhotoUrl(db, image, imageUrl(image));
    if (appended !== "appended") await deleteAtLeisure(call, [image]);
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
    const key = { petId, name };
    const isGet = method === "GET";
    // Only GET has ranges (RFC 9110 §14.2); one that hangs on If-Range may be answered with the whole.
    const range = (isGet && !headers.has("if-range") && headers.get("range")) || "";
    const ifNoneMatch = headers.get("if-none-match");
    const image = await findImage(images, key, isGet ? { range, ifNoneMatch } : undefined);
    if (!image) return fail(404);
    const { etag, httpEtag, httpMetadata, size } = image;
    const shown = {
      ETag: httpEtag,
      "Accept-Ranges": "bytes",
      // The bytes are somebody's: no browser may take them for more than an image.
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    };
    // In the order of RFC 9110 §13.2.2.
    if (!matchesOne(headers.get("if-match"), etag)) {
      await discard(image);
      return fail(412);
    }
    if (!matchesNone(ifNoneMatch, etag)) {
      await discard(image);
      return { body: undefined, status: 304, headers: shown };
    }
    const part = partOf(range, size);
    if (part === "unsatisfiable") {
      await discard(image);
      return fail(416, [], { "Content-Range": `bytes */${size}` });
    }
    const typed = {
      ...shown,
      "Content-Type": httpMetadata?.contentType ?? "application/octet-stream",
    };
    if (!isGet) return { body: undefined, headers: typed };
    const body = await bytesOf(images, key, image, part);
    if (body === undefined) return fail(404);
    if (part === undefined) return { body, headers: typed };
    const contentRange = `bytes ${part.first}-${part.last}/${size}`;
    return { body, status: 206, headers: { ...typed, "Content-Range": contentRange } };
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
  return stored ? { body: stored.json, version: stored.version } : fail(404);
});

export const deletePet = implement(contract.deletePet, async (call) => {
  const { params, db, ifMatch } = call;
  const deleted = await queries.deletePet(db, params.petId, ifMatch);
  if (typeof deleted === "string") return changeFailure(deleted);
  const { id, images } = deleted;
  await deleteAtLeisure(
    call,
    images.map((name) => ({ petId: id, name })),
  );
  return { body: apiResponse(String(id)) };
});

/**
 * Deletes images that must go. The answer waits for it, so that who has it does not find them any more; but it does
 * not hang on it, because the hourly run finishes what a fault cuts short here.
 */
async function deleteAtLeisure(
  { db, images, report }: Services,
  keys: readonly ImageKey[],
): Promise<void> {
  try {
    await deleteImages(db, images, keys);
  } catch (fault) {
    report(fault);
  }
}
