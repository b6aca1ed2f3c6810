#!/usr/bin/env bash
# http-cache-semantics 4.3.0, the cache rules of got, make-fetch-happen (npm), and cacheable-request: directives of Cache-Control are
# compared in lower case only. "No-Store, max-age=60" is stored and served from the cache; "Max-Age=60" is not fresh at all.
# Guess: directives are case-insensitive, as RFC 9111, section 5.2, says.
# Why it matters: a server that writes "No-Store" gets the same behavior from every browser, but got serves an old response.
# Output seen: "no-store: 1 2, No-Store: 1 1, max-age=60: 60, Max-Age=60: 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund http-cache-semantics@4.3.0 got@14.6.6 >/dev/null 2>&1
cat >probe.mjs <<'PROGRAM'
import { createServer } from "node:http";
import got from "got";
import CachePolicy from "http-cache-semantics";

let count = 0;
const server = createServer((request, response) => {
  response.setHeader("Cache-Control", `${request.url.slice(1)}, max-age=60`);
  response.end(`${++count}`);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const client = got.extend({ cache: new Map() });
const twice = async (directive) => {
  count = 0;
  const url = `http://127.0.0.1:${server.address().port}/${directive}`;
  return `${directive}: ${await client(url).text()} ${await client(url).text()}`;
};
const fresh = (control) => {
  const response = { status: 200, headers: { "cache-control": control } };
  return `${control}: ${new CachePolicy({ method: "GET", url: "/", headers: {} }, response).timeToLive() / 1000}`;
};
const parts = [await twice("no-store"), await twice("No-Store"), fresh("max-age=60"), fresh("Max-Age=60")];
console.log(parts.join(", "));
process.exit(0);
PROGRAM
observed=$(node probe.mjs)
expected='no-store: 1 2, No-Store: 1 1, max-age=60: 60, Max-Age=60: 0'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
