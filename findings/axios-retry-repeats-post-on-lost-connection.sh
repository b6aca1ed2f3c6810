#!/usr/bin/env bash
# axios-retry 4.5.0 (axios 1.21.1), default settings: a POST whose connection closes without a response is sent four times.
# A POST that gets a 503 is sent once.
# Guess: the default repeats only idempotent methods, so once in both cases.
# Why it matters: a lost response is exactly the case in which the server may have done the work. A store then has four orders.
# Output seen: "connection closed: 4, status 503: 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund axios@1.21.1 axios-retry@4.5.0 >/dev/null 2>&1
cat >probe.mjs <<'PROGRAM'
import { createServer } from "node:http";
import axios from "axios";
import axiosRetry from "axios-retry";

const arrived = { "/closes": 0, "/busy": 0 };
const server = createServer((request, response) => {
  arrived[request.url]++;
  // Reads the body, as a server does that performs the request, and then closes the connection or responds.
  request.resume().on("end", () => (request.url === "/busy" ? response.writeHead(503).end() : request.socket.destroy()));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const client = axios.create({ baseURL: `http://127.0.0.1:${server.address().port}` });
axiosRetry(client);
for (const path of Object.keys(arrived)) await client.post(path, { petId: 1 }).catch(() => {});
console.log(`connection closed: ${arrived["/closes"]}, status 503: ${arrived["/busy"]}`);
server.close();
PROGRAM
observed=$(node probe.mjs)
expected='connection closed: 4, status 503: 1'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
