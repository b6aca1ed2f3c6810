import { refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { NOBODY, PET } from "../given.ts";
import { BOUNDARY, FORM_TYPE, json, multipart, request, utf8 } from "../wire.ts";

const FORM = `/v2/pet/${PET.id}`;
const UPLOAD = `/v2/pet/${PET.id}/uploadImage`;
const PNG = "\x89PNG\r\n\x1a\n";
const form = (body: string | readonly string[]) =>
  request("POST", FORM, { headers: [FORM_TYPE], body });
const field = (name: string, content: string | Uint8Array) => ({
  headers: [`Content-Disposition: form-data; name="${name}"`],
  content,
});
const file = (content: string | Uint8Array, filename = "a.png", name = "file") => ({
  headers: [
    `Content-Disposition: form-data; name="${name}"; filename="${filename}"`,
    "Content-Type: image/png",
  ],
  content,
});
const multipartType = `Content-Type: multipart/form-data; boundary=${BOUNDARY}`;

const updates: readonly HostileCase[] = [
  refused("a form's status is unknown", form("name=Max&status=lost"), 405, "status"),
  refused("a form's name is empty", form("status=sold&name="), 405, "name"),
  refused("a form's name has a NUL", form("status=sold&name=a%00"), 405, "name"),
  refused("a form's name is too long", form(`name=${"x".repeat(4097)}`), 405, "name"),
  refused("a form's name is an escape of no UTF-8", form("name=%FF"), 405),
  refused("a form's name is Latin-1", form(["name=Ren\xe9"]), 405),
  refused("a form is JSON", json("POST", FORM, '{"name":"Max","status":"sold"}'), 415),
  refused(
    "a form is text",
    request("POST", FORM, { headers: ["Content-Type: text/plain"], body: "name=Max" }),
    415,
  ),
  refused(
    "a form is of a media type that only begins like one",
    request("POST", FORM, { headers: [`${FORM_TYPE}-x`], body: "name=Max&status=sold" }),
    415,
  ),
  refused(
    "a form of parts has none",
    request("POST", FORM, { headers: [multipartType], body: "name=Max" }),
    405,
    "body",
  ),
  refused(
    "a form of parts is cut off",
    multipart(FORM, [field("status", "sold")], ""),
    405,
    "body",
  ),
  refused(
    "a form of parts has a file for a name",
    multipart(FORM, [file("Max", "a", "name")]),
    405,
    "name",
  ),
  refused(
    "a form of parts has a name that is no UTF-8",
    multipart(FORM, [field("name", "\xff")]),
    405,
  ),
  refused(
    "a form is for a pet that is gone",
    request("POST", `/v2/pet/${NOBODY}`, { headers: [FORM_TYPE], body: "status=sold" }),
    404,
  ),
  refused(
    "a form has its fields in its query",
    request("POST", `${FORM}x?name=Max&status=sold`, { headers: [FORM_TYPE], body: "" }),
    400,
    "petId",
  ),
  served("a form has 1,000 unknown fields", form(`${"x=1&".repeat(999)}__proto__=y`)),
  refused(
    "a form has 10,000 unknown fields",
    form(`${"x=1&".repeat(10_000)}__proto__=y`),
    405,
    "body",
  ),
  served(
    "a form's fields are those of an object's prototype",
    form("__proto__[status]=sold&constructor=x"),
  ),
];

const uploads: readonly HostileCase[] = [
  refused(
    "an upload is empty",
    request("POST", UPLOAD, { headers: [multipartType], body: "" }),
    400,
    "file",
  ),
  refused(
    "an upload has no file",
    multipart(UPLOAD, [field("additionalMetadata", "x")]),
    400,
    "file",
  ),
  refused("an upload's file is a field", multipart(UPLOAD, [field("file", "text")]), 400, "file"),
  refused(
    "an upload's file is a field of bytes that are no UTF-8",
    multipart(UPLOAD, [field("file", PNG)]),
    400,
    "body",
  ),
  refused("an upload is cut off in its file", multipart(UPLOAD, [file(PNG)], ""), 400, "body"),
  refused(
    "an upload's boundary is another",
    request("POST", UPLOAD, {
      headers: ["Content-Type: multipart/form-data; boundary=other"],
      body: [`--${BOUNDARY}\r\n\r\n--${BOUNDARY}--\r\n`],
    }),
    400,
    "body",
  ),
  refused(
    "an upload has no boundary",
    request("POST", UPLOAD, { headers: ["Content-Type: multipart/form-data"], body: "x" }),
    415,
  ),
  refused(
    "an upload is the image itself",
    request("POST", UPLOAD, { headers: ["Content-Type: image/png"], body: [PNG] }),
    415,
  ),
  refused("an upload is JSON", json("POST", UPLOAD, '{"file":"x"}'), 415),
  refused("an upload is an empty file", multipart(UPLOAD, [file("")]), 415),
  refused(
    "an upload is SVG under the name of PNG",
    multipart(UPLOAD, [file("<svg onload='alert(1)'/>")]),
    415,
  ),
  refused(
    "an upload is HTML that begins almost like GIF",
    multipart(UPLOAD, [file("GIF8<script>")]),
    415,
  ),
  refused(
    "an upload's metadata has a NUL",
    multipart(UPLOAD, [field("additionalMetadata", "\0"), file(PNG)]),
    400,
    "additionalMetadata",
  ),
  refused(
    "an upload's metadata is too long",
    multipart(UPLOAD, [field("additionalMetadata", "x".repeat(4097)), file(PNG)]),
    400,
    "additionalMetadata",
  ),
  refused(
    "an upload's metadata is no UTF-8",
    multipart(UPLOAD, [field("additionalMetadata", "\xff"), file(PNG)]),
    400,
  ),
  refused(
    "an upload is for a pet that is gone",
    multipart(`/v2/pet/${NOBODY}/uploadImage`, [file(PNG)]),
    404,
  ),
  refused(
    "an upload is of 5,000 parts without a file",
    multipart(
      UPLOAD,
      Array.from({ length: 5000 }, () => field("x", "")),
    ),
    400,
    "body",
  ),
  served(
    "an upload's file name climbs, and is only repeated",
    multipart(UPLOAD, [
      file(PNG, "..%2F..%2F\xc3\xa9.png"),
      field("additionalMetadata", utf8("\u{1f436}")),
    ]),
    { shows: "8 bytes" },
  ),
];

export const forms: readonly HostileCase[] = [...updates, ...uploads];
