#!/usr/bin/env bash
# wretch 2.11.1, retry middleware without options: it sends a request again ten times after every status that is not 2xx, a 404 and
# a POST with 503 included, but not at all after a connection that closes without a response.
# Guess: what retry defaults of other clients do: GET after 5xx, 429, and network errors; no POST; no 404.
# Why it matters: a search for a missing pet takes eleven requests, and the one failure that a GET would survive is not repeated.
# Output seen: "GET 404: 11, POST 503: 11, GET without a response: 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund wretch@2.11.1 >/dev/null 2>&1
cat >probe.mjs <<'PROGRAM'
import { createServer } from "node:http";
import wretch from "wretch";
import { retry } from "wretch/middlewares";

let arrived = 0;
const server = createServer((request, response) => {
  arrived++;
  const status = Number(request.url.slice(1));
  if (status) response.writeHead(status).end();
  else request.socket.destroy();
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

// Only the pause is shortened.
const client = wretch(`http://127.0.0.1:${server.address().port}`).middlewares([retry({ delayTimer: 1 })]);
const count = async (call) => {
  arrived = 0;
  await call.res().catch(() => {});
  return arrived;
};
const notFound = await count(client.url("/404").get());
const posted = await count(client.url("/503").post({ name: "Rex" }));
const closed = await count(client.url("/0").get());
console.log(`GET 404: ${notFound}, POST 503: ${posted}, GET without a response: ${closed}`);
process.exit(0);
PROGRAM
observed=$(node probe.mjs)
expected='GET 404: 11, POST 503: 11, GET without a response: 1'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
