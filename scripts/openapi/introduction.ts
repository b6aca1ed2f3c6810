import { MAX_BODY_BYTES, MAX_BODY_VALUES } from "../../src/http/body.ts";
import { MAX_IMAGE_BYTES } from "../../src/pet/contract.ts";
import { createUsersWithArrayInput } from "../../src/user/contract.ts";

const kib = (bytes: number) => `${bytes / 1024} KiB`;
const ofUsers = createUsersWithArrayInput.body;

const GENERAL = `The pet store over HTTP.

## Requests

Bodies are JSON in UTF-8, but for the two forms. Nothing is coerced: \`"1"\` is no integer. Members that nobody
knows are ignored. \`null\` in an optional member is the same as leaving it out. Strings are well-formed Unicode.
A body for one pet, order or user has at most ${kib(MAX_BODY_BYTES)} and ${MAX_BODY_VALUES} values, one for a list of users
${kib(ofUsers.maxBytes)} and ${ofUsers.maxValues} values, and an image ${MAX_IMAGE_BYTES / 1024 / 1024} MiB.

Creating is safe to repeat: the same content under the same id or username is answered like the first time, other
content is refused.

## Headers of requests

None is needed. They are described here once, and not as parameters of each operation.

| Header | Taken by | What it does |
| --- | --- | --- |
| \`Idempotency-Key\` | POST | Makes the request safe to repeat. For 24 hours, one with the same key and content gets the first answer, and nothing is done twice. Other content is refused with 422. 1 to 255 printable ASCII characters, best a UUID. |
| \`If-Match\` | Whatever has an \`ETag\` | The \`ETag\` of an earlier answer: 412 where the resource has another by now, so that two editors never lose an update. |
| \`If-None-Match\` | Whatever has an \`ETag\` | The \`ETag\` of an earlier answer: while the resource has it still, a GET is answered 304, without a body, and a write 412. |
| \`Range\` | GET of an image | Part of the bytes, such as \`bytes=0-99\`: 206. |
| \`x-d1-bookmark\` | Whatever reads or writes the database | The \`x-d1-bookmark\` of an earlier answer: any replica of the database may answer that has seen what that answer showed. Without it the primary database answers. |

## Answers

Errors have one shape, whatever their status, and name the fields at fault. Pets, orders and users carry a strong
\`ETag\`. Every answer has an \`X-Request-Id\`, which names the request in the service's log.

## Credentials

`;

const CREDENTIALS = {
  open: `No credential is demanded here, by any operation. One that is sent anyway is ignored, except by logout: it ends the
session of the cookie or of \`Authorization: Bearer <token>\`.`,
  protected: `Whoever reads pets or the inventory, signs up, logs in or logs out needs no credential. The other operations state what
they take: the token that \`GET /user/login\` gives, as \`Authorization: Bearer <token>\` or as the cookie \`session\`; or
the API key, as the header \`api_key\`. Orders and users are their owner's, and of whoever has the API key. Without
a credential, or with a dead one, the answer is 401; with one that is not enough, 403.`,
};

/** What the documents say before they come to the operations, in Markdown. */
export function introduction(access: keyof typeof CREDENTIALS): string {
  // A line break within a paragraph would be one in some viewers.
  return (GENERAL + CREDENTIALS[access]).replaceAll(/(?<![\n|])\n(?![\n|#])/g, " ");
}
