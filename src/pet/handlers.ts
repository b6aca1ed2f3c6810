import { PETSTORE3_PATH } from "../http/base-path.ts";
import type { BodyFormat, Operation } from "../http/operation.ts";
import type { Services } from "../services.ts";
import { unsupportedType } from "../http/body.ts";
import { ApiError } from "../http/errors.ts";
import { changeFailure, fail } from "../http/handler.ts";
import type { Call, Created } from "../http/handler.ts";
import { implement } from "../http/implement.ts";
import { listOf } from "../http/list.ts";
import { readTagPreconditions, statusOfRead } from "../http/preconditions.ts";
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
import type { Page } from "./pages.ts";
import * as queries from "./queries.ts";
import { asSent, inLists } from "./row.ts";
import type { PetRow } from "./row.ts";

/** The pet in the form of the request's interface. */
const inForm = (row: PetRow, { basePath }: Pick<Call<Operation>, "basePath">) =>
  basePath.endsWith(PETSTORE3_PATH) ? inLists(row) : asSent(row);

/** The success that shows a pet. */
export const success = (row: PetRow, call: Pick<Call<Operation>, "basePath">) => ({
  body: inForm(row, call),
  version: row.version,
  id: row.id,
});

/** @param taken the status if another pet has the id */
export const addPetOf = <Status extends number>(taken: Status) =>
  [
    async (call: Call<typeof contract.addPet>) => {
      const { row, inserted } = await queries.insertPet(call.db, call.body);
      // The same content again is a retry; other content must never overwrite.
      if (!inserted && !sameContent(JSON.parse(inForm(row, call).text), call.body)) {
        return fail(taken, [{ path: "id", message: "is taken by another pet" }]);
      }
      return success(row, call);
    },
    {
      creates: "pets",
      answer: (call: Call<typeof contract.addPet>, created: Created) =>
        success(queries.newPetAs(call.body, created), call),
    },
  ] as const;

export const addPet = implement(contract.addPet, ...addPetOf(405));

export const updatePet = implement(contract.updatePet, async (call) => {
  const stored = await queries.replacePet(call.db, call.body, call.preconditions);
  return typeof stored === "string" ? changeFailure(stored) : success(stored, call);
});

/** The fault of a name for which the pet has no room. */
export const TOO_LONG = { path: "name", message: "makes the pet too large" };

export const updatePetWithForm = implement(
  contract.updatePetWithForm,
  async ({ params, body, db, preconditions }) => {
    const updated = await queries.updatePet(db, params.petId, body, preconditions);
    if (updated === "full") return fail(405, [TOO_LONG]);
    if (typeof updated === "string") return changeFailure(updated);
    return { body: apiResponse(String(updated.id)) };
  },
  { creates: null, answer: ({ params }) => ({ body: apiResponse(String(params.petId)) }) },
);

const NOT_AN_IMAGE = { path: "file", message: "must be a PNG, JPEG, GIF or WebP image" };

/** Swagger Petstore's message after an upload. */
export const uploaded = ({ file: { name, size }, additionalMetadata }: contract.ImageForm) => {
  const said =
    additionalMetadata === undefined ? "" : `additionalMetadata: ${additionalMetadata}\n`;
  return { body: apiResponse(`${said}File uploaded to ./${name}, ${size} bytes`) };
};

/** @param format of the body with the file */
export const uploadFileOf = async (
  call: Services & { readonly params: { readonly petId: number } },
  format: BodyFormat,
  form: contract.ImageForm,
) => {
  const { params, db, images, now, storePath } = call;
  const { file } = form;
  if (file.size > contract.MAX_IMAGE_BYTES) throw ApiError.general(413);
  const type = await imageTypeOf(file);
  if (!type) throw unsupportedType(format, [NOT_AN_IMAGE]);
  const image = { petId: params.petId, name: imageName(type) };
  if (!(await awaitImage(db, image, now()))) return fail(404);
  await storeImage(images, image, file, type);
  // If this fails, the URL may still be stored, so the image must stay.
  const appended = await queries.appendPhotoUrl(db, image, imageUrl(storePath, image));
  if (appended !== "appended") await deleteAtLeisure(call, [image]);
  if (appended === "missing") return fail(404);
  if (appended === "changed") {
    return fail(400, [{ path: "photoUrls", message: "have no room for another URL" }]);
  }
  return uploaded(form);
};

export const uploadFile = implement(
  contract.uploadFile,
  async (call) => uploadFileOf(call, "multipart", call.body),
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

/** A page with the JSON of its pets. */
const shownPage = ({ items, more }: Page, call: Pick<Call<Operation>, "basePath">) => ({
  items: items.map((row) => ({ id: row.id, json: inForm(row, call) })),
  more,
});

export const findPetsByStatus = implement(contract.findPetsByStatus, async (call) =>
  listOf(call.query, call.url, async (page) =>
    shownPage(await listPetsByStatus(call.db, call.query.status, page), call),
  ),
);

export const findPetsByTags = implement(contract.findPetsByTags, async (call) =>
  listOf(call.query, call.url, async (page) =>
    shownPage(await listPetsByTags(call.db, call.query.tags, page), call),
  ),
);

export const getPetById = implement(contract.getPetById, async (call) => {
  const stored = await queries.findPet(call.db, call.params.petId);
  return stored ? success(stored, call) : fail(404);
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
