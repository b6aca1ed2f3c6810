#!/usr/bin/env bash
# qs 6.17.1 (what Express uses with the query parser "extended"): "id=1&id=2…" is an array up to 20 values, and from 21
# on an object with the keys "0" to "20". The same holds for "id[]=…" and for a comma list with { comma: true }.
# Guess: a repeated parameter is an array, however often it is repeated; the limit is for explicit indexes such as "id[30]".
# Why it matters: code that maps over the IDs of a request works in every test, and fails with the 21st ID.
# Output seen: "repeated: array to 20, object from 21; brackets: array to 20, object from 21; comma: array to 20, object from 21"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund qs@6.17.1 >/dev/null 2>&1
cat >probe.mjs <<'PROGRAM'
import qs from "qs";

const forms = {
  repeated: (ids) => qs.parse(ids.map((id) => `id=${id}`).join("&")),
  brackets: (ids) => qs.parse(ids.map((id) => `id[]=${id}`).join("&")),
  comma: (ids) => qs.parse(`id=${ids.join(",")}`, { comma: true }),
};
const results = Object.entries(forms).map(([name, parse]) => {
  for (let count = 2; count <= 1000; count++) {
    const { id } = parse(Array.from({ length: count }, (_, i) => i));
    if (!Array.isArray(id)) return `${name}: array to ${count - 1}, ${typeof id} from ${count}`;
  }
  return `${name}: array`;
});
console.log(results.join("; "));
PROGRAM
observed=$(node probe.mjs)
expected='repeated: array to 20, object from 21; brackets: array to 20, object from 21; comma: array to 20, object from 21'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
