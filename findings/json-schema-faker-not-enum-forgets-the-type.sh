#!/usr/bin/env bash
# Packages: json-schema-faker 0.5.9
#
# Behavior: `not: { enum: [...] }` beside a `type` makes the generator forget the type. A string other than "login" and an integer
# other than 7 become booleans, `null`, or the text of an object. The same schema with `not: { const: ... }` keeps the type.
#
# Guess: strings other than "login", and integers other than 7.
#
# Why it matters: documents exclude reserved names like this, and OpenAPI 3.0 has no `const`. Mock servers and generators of
# collections that contain this version then send and return values of the wrong type, although the document is correct.
#
# Output seen:
#   {"type":"string","not":{"enum":["login"]}} boolean null string
#   {"type":"integer","not":{"enum":[7]}} boolean null object
#   {"type":"string","not":{"const":"login"}} string string string
#   {"type":"integer","not":{"const":7}} integer integer integer
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --no-audit --no-fund --loglevel=error --save-exact json-schema-faker@0.5.9 >/dev/null
cat >run.mjs <<'JS'
import { createRequire } from "node:module";
const { JSONSchemaFaker } = createRequire(import.meta.url)("json-schema-faker");
const typeOf = (value) => (value === null ? "null" : Number.isInteger(value) ? "integer" : typeof value);
for (const schema of [
  { type: "string", not: { enum: ["login"] } },
  { type: "integer", not: { enum: [7] } },
  { type: "string", not: { const: "login" } },
  { type: "integer", not: { const: 7 } },
]) {
  const types = [0.1, 0.2, 0.8].map((number) => {
    JSONSchemaFaker.option({ random: () => number });
    return typeOf(JSONSchemaFaker.generate(schema));
  });
  console.log(JSON.stringify(schema), ...types);
}
JS
cat >expected <<'TEXT'
{"type":"string","not":{"enum":["login"]}} boolean null string
{"type":"integer","not":{"enum":[7]}} boolean null object
{"type":"string","not":{"const":"login"}} string string string
{"type":"integer","not":{"const":7}} integer integer integer
TEXT
node run.mjs | tee output
diff expected output
