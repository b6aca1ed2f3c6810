#!/usr/bin/env bash
# Packages: @stoplight/prism-cli 5.16.0 (on Node 22.23.3)
#
# Behavior: `prism proxy --errors` turns a response with an undocumented status into a 500 only if the status is 2xx. Undocumented 4xx
# and 5xx responses pass unchanged, without a violation.
#
# Guess: all three are violations, because the document declares only the status 200.
#
# Why it matters: a test suite behind the proxy reports no violation if the service returns errors that its document does not have.
#
# Output seen:
#   201 becomes 500
#   418 becomes 418
#   503 becomes 503
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --no-audit --no-fund --loglevel=error --save-exact @stoplight/prism-cli@5.16.0 node@22.23.3 >/dev/null
cat >run.mjs <<'JS'
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
const ok = { description: "OK", content: { "application/json": { schema: { type: "object" } } } };
const paths = Object.fromEntries([201, 418, 503].map((status) => [`/${status}`, { get: { responses: { 200: ok } } }]));
writeFileSync("api.json", JSON.stringify({ openapi: "3.0.3", info: { title: "API", version: "1" }, paths }));
const service = createServer((request, response) => {
  response.writeHead(Number(request.url.slice(1)), { "Content-Type": "application/json" }).end("{}");
});
await new Promise((listening) => service.listen(0, "127.0.0.1", listening));
const upstream = `http://127.0.0.1:${service.address().port}`;
const free = createServer();
await new Promise((listening) => free.listen(0, "127.0.0.1", listening));
const { port } = free.address();
await new Promise((closed) => free.close(closed));
const proxy = spawn("node_modules/.bin/prism", ["proxy", "api.json", upstream, "--errors", "--port", port]);
await new Promise((listening) => proxy.stdout.on("data", (text) => `${text}`.includes("listening") && listening()));
for (const status of [201, 418, 503]) {
  const response = await fetch(`http://127.0.0.1:${port}/${status}`);
  console.log(`${status} becomes ${response.status}`);
}
proxy.kill();
service.close();
JS
cat >expected <<'TEXT'
201 becomes 500
418 becomes 418
503 becomes 503
TEXT
PATH="$PWD/node_modules/.bin:$PATH" node run.mjs | tee output
diff expected output
