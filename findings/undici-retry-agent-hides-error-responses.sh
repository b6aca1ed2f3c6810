#!/usr/bin/env bash
# undici 7.30.2, RetryAgent and the retry interceptor: a POST is never sent again by default, but its 429, 500, 502, 503, or 504 is
# still turned into an exception, and the body of the response is lost. A POST that gets 501 or 409 receives the response.
# Guess: a request that is not repeated gets its response, as it does without RetryAgent.
# Why it matters: the problem details of the response are gone, and with fetch there is only "fetch failed".
# Output seen: "501: Reason 503: RequestRetryError, sent once, without a body. fetch: TypeError fetch failed"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund undici@7.30.2 >/dev/null 2>&1
cat >probe.mjs <<'PROGRAM'
import { createServer } from "node:http";
import { Agent, RetryAgent, fetch, request } from "undici";

let arrived = 0;
const server = createServer((incoming, response) => {
  arrived++;
  response.writeHead(Number(incoming.url.slice(1)), { "Content-Type": "text/plain" }).end("Reason");
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const options = { method: "POST", dispatcher: new RetryAgent(new Agent()) };

const { body } = await request(`${origin}/501`, options);
const plain = await body.text();
arrived = 0;
const error = await request(`${origin}/503`, options).catch((reason) => reason);
const often = arrived === 1 ? "once" : `${arrived} times`;
const rest = JSON.stringify(error).includes("Reason") ? "with its body" : "without a body";
const other = await fetch(`${origin}/503`, options).catch((reason) => reason);
console.log(`501: ${plain} 503: ${error.name}, sent ${often}, ${rest}. fetch: ${other.name} ${other.message}`);
process.exit(0);
PROGRAM
observed=$(node probe.mjs)
expected='501: Reason 503: RequestRetryError, sent once, without a body. fetch: TypeError fetch failed'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
