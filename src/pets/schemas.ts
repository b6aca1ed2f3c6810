import * as v from "valibot";
import {
  Id,
  Integer,
  MAX_ITEMS,
  MAX_TEXT,
  NewId,
  NonEmptyText,
  Text,
  boundedArray,
  expected,
  oneOf,
  plainObject,
} from "../http/schemas.ts";

export const PetStatus = oneOf("available", "pending", "sold");
export type PetStatus = v.InferOutput<typeof PetStatus>;

const URL_MESSAGE = "must be http or https URLs, or relative ones";

/** The maximum number of URLs in `photoUrls`, in both forms. */
export const MAX_PHOTO_URLS = MAX_ITEMS;
/** The maximum length of `photoUrls` if it is a string, in Unicode code points. */
export const MAX_PHOTO_URLS_TEXT = MAX_TEXT;

/**
 * Returns the pattern of a URL reference (RFC 3986): http, https, or relative. A relative one has no colon in its first segment,
 * so no other scheme matches, however browsers parse it.
 * @param not a character that it must not contain
 */
const urlPattern = (not: string) => {
  const host = String.raw`(?:[^ \u0000-\u001f/?#@:<>\[\]^|\\${not}]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?`;
  const any = `[^${not}]*`;
  const forms = [
    `(?:[Hh][Tt][Tt][Pp][Ss]?:)?//(?:[^/?#@${not}]*@)?${host}(?: *|[/?#]${any})`,
    `/(?:[^/${not}]${any})?`,
    `[?#]${any}`,
    `[^ :/?#${not}][^:/?#${not}]*(?:[/?#]${any})?`,
  ];
  return `(?:${forms.join("|")})`;
};

const URL_IN_TEXT = ` *${urlPattern(String.raw`\u0000,`)}`;

/** The specification's form: one URL, or several separated by commas. */
const PhotoUrlText = v.pipe(
  Text,
  v.check((text) => text.split(",").length <= MAX_PHOTO_URLS, `must have at most ${MAX_PHOTO_URLS} URLs`),
  v.regex(new RegExp(`^${URL_IN_TEXT}(?:,${URL_IN_TEXT}){0,${MAX_PHOTO_URLS - 1}}$`), URL_MESSAGE),
);

/** The form of Swagger Petstore's clients, some of which send `[""]`. */
const PhotoUrlList = boundedArray(
  v.pipe(Text, v.regex(new RegExp(`^ *${urlPattern(String.raw`\u0000`)}?$`), URL_MESSAGE)),
  MAX_PHOTO_URLS,
  "URLs",
  "an array of strings",
);

export const PhotoUrls = v.union([PhotoUrlText, PhotoUrlList], expected("a string or an array of strings"));

/** `{id?, name?}`, kept as sent; a `null` field is dropped. Two schemas, because the documents name each. */
const idAndName = () =>
  plainObject(
    { id: v.nullish(Integer, () => undefined), name: v.nullish(Text, () => undefined) },
    "an object with an id and a name",
  );

export const Category = idAndName();

/** Swagger Petstore's tag. The specification has a search by tags, but no field for them. */
export const Tag = idAndName();

/** A tag in a query. Commas separate tags, and spaces around a tag are trimmed. */
export const TagName = v.pipe(
  NonEmptyText,
  v.metadata({ pattern: String.raw`^[^,\u0000]*[^,\s\ufeff\u0000][^,\u0000]*$` }),
);

export const TagOrName = v.union([Text, Tag], expected("a string or an object with an id and a name"));

const fields = {
  category: v.nullish(Category, null),
  name: NonEmptyText,
  photoUrls: PhotoUrls,
  tags: v.nullish(boundedArray(TagOrName, MAX_ITEMS, "tags"), null),
  status: v.nullish(PetStatus, null),
};

/** A pet in the body of `/v2`. Absent fields are `null`, as in its row. */
export const NewPet = plainObject({ id: NewId, ...fields });
export type NewPet = v.InferOutput<typeof NewPet>;

/** A stored pet in the body of `/v2`. */
export const Pet = plainObject({ id: Id, ...fields });
export type Pet = v.InferOutput<typeof Pet>;

/** Petstore 3 has only the array of URLs, and only tags that are objects. */
const fields3 = { ...fields, photoUrls: PhotoUrlList, tags: v.nullish(boundedArray(Tag, MAX_ITEMS, "tags"), null) };

/** A pet in the body of `/api/v3`. */
export const NewPet3 = plainObject({ id: NewId, ...fields3 });

/** A stored pet in the body of `/api/v3`. */
export const Pet3 = plainObject({ id: Id, ...fields3 });

/** The fields of a pet that a form or a query can change. */
export const PetChanges = v.object({
  name: v.optional(NonEmptyText),
  status: v.optional(PetStatus),
});
export type PetChanges = v.InferOutput<typeof PetChanges>;

/** The form of an upload to `/v2`. */
export const Upload = v.object(
  {
    additionalMetadata: v.optional(Text),
    file: v.pipe(
      v.file("must be a file"),
      v.check(({ size }) => size > 0, "must be a file that is not empty"),
    ),
  },
  "is required",
);
