#!/usr/bin/env bash
# Packages: json-schema-faker 0.6.3
#
# Behavior: in a `pattern`, the escapes `\u0041`, `\x41`, and `\t` are read as the letters after the backslash. `^\u0041$`
# generates "u0041", and `^[\t]$` generates "t". A negated class hides this: `[^\u0000]` only loses the characters `u` and `0`.
#
# Guess: "A" for the first two patterns, and a tab for the third.
#
# Why it matters: patterns in OpenAPI documents name control characters and characters beyond ASCII by escapes. Generated values then
# violate the schema that they were generated from, and nothing reports it.
#
# Output seen:
#   ^\u0041$ "u0041" matches: false
#   ^\x41$ "x41" matches: false
#   ^[\t]$ "t" matches: false
#   ^[^\u0000]$ "4" matches: true
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --no-audit --no-fund --loglevel=error --save-exact json-schema-faker@0.6.3 >/dev/null
cat >run.mjs <<'JS'
import { generateSync } from "json-schema-faker";
for (const pattern of ["^\\u0041$", "^\\x41$", "^[\\t]$", "^[^\\u0000]$"]) {
  const value = generateSync({ type: "string", pattern }, { seed: 1 });
  console.log(pattern, JSON.stringify(value), "matches:", new RegExp(pattern).test(value));
}
JS
cat >expected <<'TEXT'
^\u0041$ "u0041" matches: false
^\x41$ "x41" matches: false
^[\t]$ "t" matches: false
^[^\u0000]$ "4" matches: true
TEXT
node run.mjs | tee output
diff expected output
