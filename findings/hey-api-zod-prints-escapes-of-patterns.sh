#!/usr/bin/env bash
# @hey-api/openapi-ts 0.99.0, plugin zod: the escapes of a `pattern` become the characters themselves in the generated regular
# expression. "^[^\u2028]*$" ends the literal, so the file does not parse; "^[^\u0000]*$" puts a NUL into the file, and Git and grep
# treat it as binary.
# Guess: the pattern is printed as it is in the document.
# Why it matters: the generator reports success, and the generated schemas cannot be imported, or their diffs cannot be read.
# Output seen: "u2028: Unterminated regular expression, u0000: binary"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @hey-api/openapi-ts@0.99.0 typescript@5.9.3 zod@3.25.76 node@22.23.3 esbuild@0.28.2 >/dev/null 2>&1
export PATH="$PWD/node_modules/.bin:$PATH"
generate() {
  cat >"$1.json" <<DOCUMENT
{
  "openapi": "3.1.0",
  "info": { "title": "names", "version": "1" },
  "paths": {},
  "components": { "schemas": { "Name": { "type": "string", "pattern": "^[^\\\\$1]*\$" } } }
}
DOCUMENT
  openapi-ts -i "./$1.json" -o "$1" -p zod --no-log-file >/dev/null
}
generate u2028
generate u0000
parsed=$(esbuild u2028/zod.gen.ts --log-level=error 2>&1 >/dev/null | grep -o 'Unterminated regular expression' || true)
kind=$(grep Name u0000/zod.gen.ts 2>&1 | grep -o binary || true)
observed="u2028: ${parsed:-parses}, u0000: ${kind:-text}"
expected='u2028: Unterminated regular expression, u0000: binary'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
