import * as v from "valibot";
import { Id, Integer, MAX_ITEMS, NewId, NonEmptyText, Text, expected, objectOf } from "../http/schemas.ts";

const STATUSES = ["available", "pending", "sold"] as const;

export const PetStatus = v.picklist(STATUSES, `must be one of ${STATUSES.join(", ")}`);
export type PetStatus = v.InferOutput<typeof PetStatus>;

/** Whether browsers treat this as an http or https URL, absolute or relative, and not as `javascript:` or `data:`. */
const isUrl = (text: string) => /^https?:$/.test(URL.parse(text, "http://x")?.protocol ?? "");

const URL_MESSAGE = "must be http or https URLs, or relative ones";
const MANY_URLS = `must have at most ${MAX_ITEMS} URLs`;

const IPV6_GROUP = "[0-9A-Fa-f]{1,4}";
const IPV6 = String.raw`\[(?::|(?:${IPV6_GROUP}:){1,3}):(?:${IPV6_GROUP}:){0,3}${IPV6_GROUP}\]`;
const PORT = "(?:[0-5]?[0-9]{1,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";

/**
 * Returns the pattern of a photo URL: without a scheme and a host, or with a host after `http:`, `https:`, or nothing. Browsers
 * accept more, such as percent-escapes in a host, and so does `isUrl`.
 * @param not characters that the URL cannot contain
 */
const urlPattern = (not: string) => {
  const host = String.raw`(?:[^ #%/:<>?@\[\\\]^|${not}]+|${IPV6})(?::${PORT})?`;
  const forms = [
    `[A-Za-z][A-Za-z0-9+.-]*(?:[^A-Za-z0-9+.:${not}-][^${not}]*)?`,
    String.raw`[^A-Za-z /\\${not}][^${not}]*`,
    String.raw`[/\\](?:[^/\\${not}][^${not}]*)?`,
    String.raw`(?:[Hh][Tt][Tt][Pp][Ss]?:)?[/\\]{2,}(?:[^#/?\\${not}]*@)?${host}(?: *|[#/?\\][^${not}]*)`,
  ];
  return `(?:${forms.join("|")})`;
};

const IN_TEXT = ` *${urlPattern(String.raw`,\u0000`)}`;

/** The specification's form: one URL, or several separated by commas. */
const PhotoUrlText = v.pipe(
  Text,
  v.check((text) => text.split(",").length <= MAX_ITEMS, MANY_URLS),
  v.check((text) => text.split(",").every((url) => url.trim() !== "" && isUrl(url)), URL_MESSAGE),
  v.metadata({ pattern: `^${IN_TEXT}(?:,${IN_TEXT})*$`, not: { pattern: `(?:,[^,]*){${MAX_ITEMS}}` } }),
);

/** The form of Swagger Petstore's clients, some of which send `[""]`. */
const PhotoUrlList = v.pipe(
  v.array(v.unknown(), expected("an array of strings")),
  v.maxLength(MAX_ITEMS, MANY_URLS),
  v.array(v.pipe(Text, v.check(isUrl, URL_MESSAGE), v.metadata({ pattern: `^ *${urlPattern(String.raw`\u0000`)}?$` }))),
);

export const PhotoUrls = v.union([PhotoUrlText, PhotoUrlList], expected("a string or an array of strings"));

/** `{id?, name?}`, kept as sent; a `null` field is dropped. Two schemas, because the documents name each. */
const idAndName = () =>
  objectOf(
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

/** An array of at most 100 tags. The length is checked first. */
const tagsOf = <Item extends v.GenericSchema>(tag: Item) =>
  v.pipe(
    v.array(v.unknown(), expected("an array")),
    v.maxLength(MAX_ITEMS, `must have at most ${MAX_ITEMS} tags`),
    v.array(tag),
  );

const fields = {
  category: v.nullish(Category, null),
  name: NonEmptyText,
  photoUrls: PhotoUrls,
  tags: v.nullish(tagsOf(TagOrName), null),
  status: v.nullish(PetStatus, null),
};

/** A pet in the body of `/v2`. Absent fields are `null`, as in its row. */
export const NewPet = objectOf({ id: NewId, ...fields });
export type NewPet = v.InferOutput<typeof NewPet>;

/** A stored pet in the body of `/v2`. */
export const Pet = objectOf({ id: Id, ...fields });
export type Pet = v.InferOutput<typeof Pet>;

/** Petstore 3 has only the array of URLs, and only tags that are objects. */
const fields3 = { ...fields, photoUrls: PhotoUrlList, tags: v.nullish(tagsOf(Tag), null) };

/** A pet in the body of `/api/v3`. */
export const NewPet3 = objectOf({ id: NewId, ...fields3 });

/** A stored pet in the body of `/api/v3`. */
export const Pet3 = objectOf({ id: Id, ...fields3 });

/** What a form or a query can change of a pet. */
export const PetChanges = v.object({
  name: v.optional(NonEmptyText),
  status: v.optional(PetStatus),
});

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
