import { ApiError } from "../http/errors.ts";
import { fail } from "../http/handler.ts";
import { implement } from "../http/implement.ts";
import { asksForAll, selectBytes } from "../http/range.ts";
import { BY_CLIENT } from "../http/respond.ts";
import { apiResponse, sameContent } from "../http/schemas.ts";
import { Gone } from "../platform/failures.ts";
import type { Services } from "../services.ts";
import * as contract from "./contract.ts";
import { awaitImage } from "./image-queries.ts";
import type { ImageKey } from "./image-queries.ts";
import {
  bytesOf,
  deleteImages,
  findImage,
  imageName,
  imageUrl,
  storeImage,
  typeOf,
} from "./images.ts";
import { listPetsByStatus, listPetsByTags } from "./pages.ts";
import * as queries from "./queries.ts";
import type { PetRow } from "./row.ts";

/** The success that shows a pet. */
const success = (row: PetRow) => ({ body: row, version: row.version, id: row.id });

export const addPet = implement(
  contract.addPet,
  async ({ body, db, shown }) => {
    const { row, inserted } = await queries.insertPet(db, body);
    // The same content again is a retry; other content must never overwrite.
    if (!inserted && !sameContent(shown(row), body)) {
      return fail("taken", [{ path: "id", message: "is taken by another pet" }]);
    }
    return success(row);
  },
  {
    creates: "pets",
    answer: ({ body }, created) => success(queries.newPetAs(body, created)),
  },
);

export const updatePet = implement(contract.updatePet, async ({ body, db, preconditions }) => {
  const stored = await queries.replacePet(db, body, preconditions);
  return typeof stored === "string" ? fail(stored) : success(stored);
});

export const updatePetWithForm = implement(
  contract.updatePetWithForm,
  async ({ params, body, db, preconditions }) => {
    const updated = await queries.updatePet(db, params.petId, body, preconditions);
    if (updated === "full") {
      return fail("full", [{ path: "name", message: "makes the pet too large" }]);
    }
    return typeof updated === "string" ? fail(updated) : success(updated);
  },
  { creates: null, answer: ({ params }) => ({ body: { id: params.petId } }) },
);

/** The success of an upload, with Swagger Petstore's message. */
export function uploaded({ file: { name, size }, additionalMetadata }: contract.ImageForm) {
  const said =
    additionalMetadata === undefined ? "" : `additionalMetadata: ${additionalMetadata}\n`;
  return { body: apiResponse(`${said}File uploaded to ./${name}, ${size} bytes`) };
}

export const uploadFile = implement(
  contract.uploadFile,
  async (call) => {
    const { params, body, db, images, now, storePath } = call;
    const { file } = body;
    if (file.size > contract.MAX_IMAGE_BYTES) throw ApiError.general("tooLarge");
    const type = await typeOf(file);
    const image = { petId: params.petId, name: imageName(type) };
    if (!(await awaitImage(db, image, file.size, now()))) return fail("missing");
    await storeImage(images, image, file, type);
    // If this fails, the URL may still be stored, so the image must stay.
    const url = imageUrl(storePath, image);
    const appended = await queries.appendPhotoUrl(db, image, url).catch((fault: unknown) => {
      if (fault instanceof Gone) return "missing";
      throw fault;
    });
    if (appended === "appended") return uploaded(body);
    await tryToDeleteImages(call, [image]);
    return appended === "missing"
      ? fail("missing")
      : fail("full", [{ path: "photoUrls", message: "have no room for another URL" }]);
  },
  { creates: null, answer: ({ body }) => uploaded(body) },
);

export const getPetImage = implement(
  contract.getPetImage,
  async ({ params: { petId, name }, headers, method, images }) => {
    const key = { petId, name };
    const asked = { headers, method };
    const image = await findImage(images, key, asksForAll(asked));
    if (!image) return fail("missing");
    const shown = { ETag: image.httpEtag, "Accept-Ranges": "bytes", ...BY_CLIENT };
    const selected = selectBytes(asked, image);
    if (selected === "changed") return fail("changed");
    if (selected === "unchanged") return { body: undefined, status: 304, headers: shown };
    if (selected === "unsatisfiable") {
      return fail("unsatisfiable", [], { "Content-Range": `bytes */${image.size}` });
    }
    const type = image.httpMetadata?.contentType ?? contract.DOWNLOAD;
    const typed = {
      ...shown,
      "Content-Type": type,
      ...(type === contract.DOWNLOAD && { "Content-Disposition": "attachment" }),
    };
    if (method === "HEAD") return { body: undefined, headers: typed };
    const body = await bytesOf(images, key, image, selected.part);
    if (body === undefined) return fail("missing");
    return { body, status: selected.status, headers: { ...typed, ...selected.headers } };
  },
);

export const findPetsByStatus = implement(
  contract.findPetsByStatus,
  async ({ db, query: { status } }) => ({
    body: async (page) => listPetsByStatus(db, status, page),
  }),
);

export const findPetsByTags = implement(
  contract.findPetsByTags,
  async ({ db, query: { tags } }) => ({ body: async (page) => listPetsByTags(db, tags, page) }),
);

export const getPetById = implement(contract.getPetById, async ({ params, db }) => {
  const stored = await queries.findPet(db, params.petId);
  return stored ? success(stored) : fail("missing");
});

export const deletePet = implement(contract.deletePet, async (call) => {
  const { params, db, preconditions } = call;
  const deleted = await queries.deletePet(db, params.petId, preconditions);
  if (typeof deleted === "string") return fail(deleted);
  const { id, images } = deleted;
  await tryToDeleteImages(
    call,
    images.map((name) => ({ petId: id, name })),
  );
  return { body: apiResponse(String(id)) };
});

/** Deletes images from R2. A fault does not fail the request: the hourly run deletes the rest. */
async function tryToDeleteImages(
  { db, images, report }: Services,
  keys: readonly ImageKey[],
): Promise<void> {
  await deleteImages(db, images, keys).catch(report);
}
