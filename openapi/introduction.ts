const GENERAL = `The pet store over HTTP.

## Requests

Bodies are JSON in UTF-8, except forms and uploaded files. Types are not coerced: \`"1"\` is not an integer. Unknown members
are ignored. In an optional member, \`null\` is the same as leaving it out. A body with one pet, order or user has at most
16 KiB, a list of users 256 KiB, a file 5 MiB.

A create may be repeated: with the same content and the same id or username, it returns what is stored. With other content, it
is refused.

## Request headers

All of them are optional. They are not parameters of the operations.

| Header | Operations | Effect |
| --- | --- | --- |
| \`Idempotency-Key\` | \`POST /pet\`, \`POST /store/order\` | Makes a create without an id safe to repeat: the same key and body return the resource as it is now, another body is 422. 1 to 255 printable ASCII characters. The key is kept as long as the resource. |
| \`If-Match\` | \`PUT\`, \`POST /pet/{petId}\`, \`DELETE\` | An \`ETag\`: 412 if the resource has changed since. |
| \`If-None-Match\` | \`GET\` of a pet, an order, a user or an image | An \`ETag\`: 304 if the resource has not changed. |
| \`Range\` | \`GET\` of an image | Part of the file, such as \`bytes=0-99\`: 206. |
| \`x-d1-bookmark\` | All that use the database | The \`x-d1-bookmark\` of an earlier answer: any replica that is at least as new may answer. Without it, the primary database answers. |

## Answers

All errors have the same form and name the invalid fields. Pets, orders and users have a strong \`ETag\`.

## Access

With open access, which is the default, no operation needs credentials, and they are ignored; only logout uses them. With
protected access, reading pets and the inventory, signing up, login and logout are public; the other operations state what they
accept: the token that login returns, as \`Authorization: Bearer <token>\` or as the cookie, or the API key in the header
\`api_key\` or \`X-API-Key\` (some proxies drop headers with underscores). Pets, orders and users belong to the account that made them.
Without valid credentials the answer is 401; if they do not suffice, it is 403.`;

const PETSTORE = `

## Clients of Swagger Petstore

This document is for clients that were generated from the document of Swagger Petstore {version}: methods, parameters, results
and models are the same. \`petstore_auth\` is the token that \`GET /user/login\` returns; there is no page to authorize at.
Integers go up to 2^53-1, also where 32 bits are stated. `;

const PETSTORE_2 = `Some operations have a body in their answer that Petstore's document does not state: the example shows it. The
result of \`loginUser\` is an \`ApiResponse\` as text. In JSON, \`photoUrls\` may also be one string, and a tag only its name; what
another client stored like that is returned like that. \`openapi.json\` has everything else that Swagger 2.0 cannot express.`;

const PETSTORE_3 = `It does not state that members may be \`null\`, that lists take \`limit\` and \`after\`, and that uploads may
have almost any media type. \`shipDate\` may come without seconds or zone if another client stored it so. The id of
a pet to update, tags, a username, a password and the bodies are needed: without them, the answer is the error that is stated.`;

/** Joins the lines of each paragraph: some viewers would show the line breaks. */
const unwrapped = (markdown: string): string => markdown.replaceAll(/(?<![\n|])\n(?![\n|#])/g, " ");

const petstore = (version: string, more: string) => unwrapped(GENERAL + PETSTORE.replace("{version}", version) + more);

/** The description of each interface, in Markdown. */
export const INTRODUCTION = {
  openApi: unwrapped(GENERAL),
  petstore2: petstore("2", PETSTORE_2),
  petstore3: petstore("3", PETSTORE_3),
};
