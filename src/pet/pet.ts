import * as v from "valibot";
import type { Schema } from "../http/operation.ts";
import {
  BoundedArray,
  Id,
  Integer,
  JsonObject,
  MAX_TEXT,
  NewId,
  OneOf,
  Text,
  TextOr,
  expected,
  optionalMember,
} from "../http/schemas.ts";

/** The longest `photoUrls` as one string, in characters. */
export const MAX_PHOTO_URLS = MAX_TEXT;

/** The largest pet after a change of some of its members, in bytes of JSON: it fits the body of a PUT (§2.3). */
export const MAX_PET_BYTES = 48 * 1024;

/** The largest number of `tags`, and of URLs in `photoUrls` (interface §2.4). */
export const MAX_ITEMS = 100;

const STATUSES = ["available", "pending", "sold"] as const;

export const PetStatus = OneOf(STATUSES);
export type PetStatus = v.InferOutput<typeof PetStatus>;

/**
 * A pattern for an absolute http or https URL or a relative reference (RFC 3986 §4.1), and for nothing that a page would
 * run or embed: text before a colon is always a scheme, and no white space or control character can hide one.
 * @param none more characters that the URL must not have
 */
function urlPattern(none = ""): string {
  const except = (characters: string) =>
    String.raw`[^\s\u0000-\u001f\u007f-\u009f${none}${characters}]`;
  const rest = `${except("")}*`;
  const host = String.raw`(?:${except(String.raw`/?#\\\[\]`)}+|\[[0-9A-Fa-f:.]+\](?::[0-9]*)?)`;
  const onHost = `(?:[Hh][Tt][Tt][Pp][Ss]?:)?//${host}(?:[/?#]${rest})?`;
  const here = `/(?:${except("/")}${rest})?|${except(":/?#")}+(?:[/?#]${rest})?|[?#]${rest}`;
  return `(?:${onHost}|${here})`;
}

const URL_MESSAGE = "must be http or https URLs, or relative ones";

/** One URL, or several separated by commas, in one string (interface §3.1). */
const PhotoUrlText = v.pipe(
  Text,
  v.check((text) => text.split(",").length <= MAX_ITEMS, `must have at most ${MAX_ITEMS} URLs`),
  v.regex(
    new RegExp(String.raw`^\s*${urlPattern(",")}\s*(?:,\s*${urlPattern(",")}\s*)*$`, "u"),
    URL_MESSAGE,
  ),
);

const PHOTO_URLS = "a string or an array of strings";

/**
 * The form that Swagger Petstore's clients send. Some send `[""]`: "" is a relative reference (RFC 3986 §4.2).
 * @param forms what `photoUrls` may be
 */
const photoUrlList = (forms: string) =>
  BoundedArray(
    v.pipe(Text, v.regex(new RegExp(`^${urlPattern()}?$`, "u"), URL_MESSAGE)),
    MAX_ITEMS,
    "URLs",
    expected(forms),
  );

export const PhotoUrls = TextOr(PhotoUrlText, photoUrlList(PHOTO_URLS), expected(PHOTO_URLS));

/** The specification has a search by tags but no member for them. This is Swagger Petstore's member. */
export const Tag = JsonObject(
  { id: optionalMember(Integer), name: optionalMember(Text) },
  "must be an object with an id and a name",
);

/** A plain string means a tag with that name. */
export const TagOrName = TextOr(Text, Tag, expected("a string or an object with an id and a name"));

export const Category = JsonObject(
  { id: optionalMember(Integer), name: optionalMember(Text) },
  "must be an object with an id and a name",
);

export const petMembers = {
  category: optionalMember(Category),
  name: v.pipe(Text, v.nonEmpty("must not be empty")),
  photoUrls: PhotoUrls,
  tags: optionalMember(BoundedArray(TagOrName, MAX_ITEMS, "tags")),
  status: optionalMember(PetStatus),
};

export const Pet = JsonObject({ id: Id, ...petMembers });
export type Pet = v.InferOutput<typeof Pet>;

export const NewPet = JsonObject({ id: NewId, ...petMembers });
export type NewPet = v.InferOutput<typeof NewPet>;

/** The members of a pet of Petstore 3, which has one form of `photoUrls` and of a tag (interface §11.3). */
const listedMembers = {
  ...petMembers,
  photoUrls: photoUrlList("an array of strings"),
  tags: optionalMember(BoundedArray(Tag, MAX_ITEMS, "tags")),
};

export const ListedPet: Schema<Pet> = JsonObject({ id: Id, ...listedMembers });
export const NewListedPet: Schema<NewPet> = JsonObject({ id: NewId, ...listedMembers });

/** The members of a pet that a form can change. */
export const PetForm = v.object({
  name: v.optional(petMembers.name),
  status: v.optional(PetStatus),
});
export type PetForm = v.InferOutput<typeof PetForm>;
