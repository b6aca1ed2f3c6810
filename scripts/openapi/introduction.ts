import { MAX_BODY_BYTES, MAX_BODY_VALUES } from "../../src/http/body.ts";
import { MAX_IMAGE_BYTES } from "../../src/pet/contract.ts";
import { createUsersWithArrayInput } from "../../src/user/contract.ts";

const kib = (bytes: number) => `${bytes / 1024} KiB`;
const ofUsers = createUsersWithArrayInput.body;

const GENERAL = `The pet store over HTTP.

## Requests

Bodies are JSON in UTF-8, except {others}. Nothing is coerced: \`"1"\` is not an integer. Unknown members are
ignored. \`null\` in an optional member is the same as leaving it out. Strings are well-formed Unicode.
A body for one pet, order or user has at most ${kib(MAX_BODY_BYTES)} and ${MAX_BODY_VALUES} values, one for a list of users
${kib(ofUsers.maxBytes)} and ${ofUsers.maxValues} values, and an uploaded file ${MAX_IMAGE_BYTES / 1024 / 1024} MiB.

You can repeat a create: the same content with the same id or username gets the first answer again. The service refuses
other content.

## Headers of requests

All are optional. This list describes them once, so they are not parameters of each operation.

| Header | Accepted by | What it does |
| --- | --- | --- |
| \`Idempotency-Key\` | POST | Makes the request safe to repeat. For 24 hours, a request with the same key and content gets the first answer, and nothing is done twice. Other content is 422. 1 to 255 printable ASCII characters; a UUID is best. |
| \`If-Match\` | Operations on a resource with an \`ETag\` | The \`ETag\` of an earlier answer: 412 if the resource has changed since, so that two editors never lose an update. |
| \`If-None-Match\` | Operations on a resource with an \`ETag\` | The \`ETag\` of an earlier answer: if the resource has not changed, a GET is 304, without a body, and a write is 412. |
| \`Range\` | GET of an image | Part of the bytes, such as \`bytes=0-99\`: 206. |
| \`x-d1-bookmark\` | Every operation on the database | The \`x-d1-bookmark\` of an earlier answer: a replica of the database that is at least as new may answer. Without it, the primary database answers. |

## Answers

All errors have one form, and name the fields that are wrong. Pets, orders and users have a strong \`ETag\`. Every answer has an \`X-Request-Id\`, which identifies the request in the service's log.

## Credentials

`;

const CREDENTIALS = {
  open: `No operation needs a credential here. The service ignores a credential that you send. Only logout uses it: it ends the
session of the cookie or of \`Authorization: Bearer <token>\`.`,
  protected: `You need no credential to read pets or the inventory, to sign up, to log in or to log out. The other operations state
what they accept: the token from \`GET /user/login\`, as \`Authorization: Bearer <token>\` or as the cookie \`session\`; or
the API key, in the header \`api_key\`. Only its owner, or the holder of the API key, may use an order or a user. Without a valid
credential, the answer is 401. If a valid credential does not allow the request, it is 403.`,
};

/** The row of the header that only a database with replicas has. */
const OF_REPLICAS = /^\| `x-d1-bookmark` .*\n/m;

/** The row of the header that only images have. */
const OF_IMAGES = /^\| `Range` .*\n/m;

/**
 * The description of the whole interface, in Markdown.
 * @param isOwn for the documents of a sandbox
 * @param isPetstore3 for the document of Petstore 3, which has no forms and serves no images
 */
export function introduction(
  access: keyof typeof CREDENTIALS,
  isOwn: boolean,
  isPetstore3: boolean,
): string {
  const general = (isOwn ? GENERAL.replace(OF_REPLICAS, "") : GENERAL)
    .replace(isPetstore3 ? OF_IMAGES : "", "")
    .replace("{others}", isPetstore3 ? "an uploaded file" : "the two forms");
  return unwrapped(general + CREDENTIALS[access]);
}

/** Joins the lines of each paragraph, because some viewers would show the line breaks. */
export const unwrapped = (markdown: string): string =>
  markdown.replaceAll(/(?<![\n|])\n(?![\n|#])/g, " ");
