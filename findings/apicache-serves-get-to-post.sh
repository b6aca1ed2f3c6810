#!/usr/bin/env bash
# apicache 1.6.3, mounted with app.use as its README shows: the key is the URL without the method. After a GET, a POST and a DELETE of
# the same path get the cached response of the GET, status 200, and no handler runs. "Cache-Control: no-store" of a handler is
# replaced with "max-age=300", and the response is cached.
# Guess: only GET and HEAD are served from the cache, and no-store is kept.
# Why it matters: creates and deletes seem to succeed, and nothing happens.
# Output seen: "POST: pets, DELETE: pets, handlers: GET. no-store: max-age=300, handler runs once"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund apicache@1.6.3 express@5.3.0 >/dev/null 2>&1
cat >probe.mjs <<'PROGRAM'
import express from "express";
import apicache from "apicache";

const app = express();
app.use(apicache.middleware("5 minutes"));
const ran = [];
app.all("/pets", (request, response) => {
  ran.push(request.method);
  response.send(request.method === "GET" ? "pets" : "done");
});
let count = 0;
app.get("/clock", (request, response) => response.set("Cache-Control", "no-store").send(`${++count}`));
const server = app.listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));

const send = (path, method) => fetch(`http://127.0.0.1:${server.address().port}${path}`, { method });
await (await send("/pets", "GET")).text();
const posted = await (await send("/pets", "POST")).text();
const deleted = await (await send("/pets", "DELETE")).text();
await (await send("/clock", "GET")).text();
const clock = await send("/clock", "GET");
const often = count === 1 ? "once" : `${count} times`;
const control = clock.headers.get("Cache-Control");
console.log(`POST: ${posted}, DELETE: ${deleted}, handlers: ${ran}. no-store: ${control}, handler runs ${often}`);
process.exit(0);
PROGRAM
observed=$(node probe.mjs)
expected='POST: pets, DELETE: pets, handlers: GET. no-store: max-age=300, handler runs once'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
