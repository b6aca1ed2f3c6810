#!/usr/bin/env bash
# @fastify/reply-from 12.6.5 (fastify 5.12.8): a proxy without any retry setting sends a GET eleven times if the upstream responds
# with 503. "Retry-After: 1" is taken as one millisecond, so all eleven arrive at once, not a second apart. A 502 is passed through.
# Guess: the proxy passes the 503 and its Retry-After through.
# Why it matters: an upstream that asks for a pause because of overload gets ten more requests immediately.
# Output seen: "502: 1, 503: 11, within a second: true"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund fastify@5.12.8 @fastify/reply-from@12.6.5 >/dev/null 2>&1
cat >probe.mjs <<'PROGRAM'
import { createServer } from "node:http";
import Fastify from "fastify";
import replyFrom from "@fastify/reply-from";

const arrived = { 502: 0, 503: 0 };
const upstream = createServer((request, response) => {
  const status = Number(request.url.slice(1));
  arrived[status]++;
  response.writeHead(status, { "Retry-After": "1" }).end();
});
await new Promise((resolve) => upstream.listen(0, "127.0.0.1", resolve));

const proxy = Fastify();
proxy.register(replyFrom, { base: `http://127.0.0.1:${upstream.address().port}` });
proxy.get("/*", (request, reply) => reply.from(request.url));
const origin = await proxy.listen({ port: 0, host: "127.0.0.1" });
await fetch(`${origin}/502`);
const start = performance.now();
await fetch(`${origin}/503`);
const isSoon = performance.now() - start < 1000;
console.log(`502: ${arrived[502]}, 503: ${arrived[503]}, within a second: ${isSoon}`);
process.exit(0);
PROGRAM
observed=$(node probe.mjs)
expected='502: 1, 503: 11, within a second: true'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
