import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createPet, done, outcome, success } from "../fixtures.ts";

// How swagger-codegen and OpenAPI Generator made clients of the classic Petstore differ, byte for byte. The media types
// of their bodies are among those of test/http/bodies.test.ts and test/pet/update-with-form.test.ts.

const TYPED = { "Content-Type": "application/json" };
const EMPTY = { "Content-Length": "0" };
const CREDENTIALS = { Authorization: "Bearer special-token", api_key: "special-key" };

test.each([
  ["Java (okhttp-gson)", { headers: { ...TYPED, ...EMPTY } }],
  ["Java (resttemplate)", { headers: EMPTY }],
  ["Python (urllib3)", { headers: TYPED, body: "{}" }],
  ["Ruby (typhoeus)", { headers: TYPED }],
  ["TypeScript (fetch)", { headers: {} }],
  ["TypeScript (axios)", { headers: TYPED, body: "" }],
] as const)("a DELETE as %s sends it deletes §9.6", async (_, { headers, ...body }) => {
  const { id, path } = await createPet();
  const sent = { headers: { ...CREDENTIALS, ...headers }, ...body };
  expect(outcome(await send("DELETE", path, sent))).toEqual(done(String(id)));
  expect((await send("GET", path)).status).toBe(404);
});

test.each([
  { Accept: "application/json", "Accept-Encoding": "gzip" },
  { Accept: "application/xml, application/json" },
  { Accept: "application/xml" },
  { Accept: "application/json", Expect: "" },
  { Accept: "application/json", TE: "deflate,gzip;q=0.3", Connection: "TE, close" },
  { Accept: "*/*" },
  { Accept: "" },
  // Python's sends the type of a body with requests that have none.
  TYPED,
])("a GET with the headers %j gets JSON §9.6", async (headers) => {
  const { path, shown } = await createPet();
  const found = await send("GET", path, { headers: { ...CREDENTIALS, ...headers } });
  expect(outcome(found)).toEqual(success(shown));
  expect(found.headers.get("content-type")).toBe("application/json");
});
