#!/usr/bin/env bash
# @modelcontextprotocol/client 2.4.0 and @modelcontextprotocol/sdk 1.32.2: the `timeout` of `connect` limits the request `initialize`, but
# not the notification after it. If a server, or a proxy in front of it, accepts that notification and never responds, `connect` waits,
# in spite of a timeout of 2 s.
# Guess: the timeout limits `connect` as a whole.
# Why it matters: an agent that connects to many servers hangs at one of them, without an error.
# Output seen: "client 2: still waiting after 8 s" and "sdk 1: still waiting after 8 s"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/sdk@1.32.2 >/dev/null 2>&1
cat >probe.mjs <<'PROGRAM'
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import * as client2 from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const serverInfo = { name: "server", version: "1" };
const server = createServer(async (request, response) => {
  const { id, method } = await json(request);
  if (method !== "initialize") return; // Never responds.
  const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
  response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = new URL(`http://127.0.0.1:${server.address().port}`);

const clients = {
  "client 2": [new client2.Client(serverInfo), new client2.StreamableHTTPClientTransport(url)],
  "sdk 1": [new Client(serverInfo), new StreamableHTTPClientTransport(url)],
};
for (const [name, [client, transport]] of Object.entries(clients)) {
  const connected = client.connect(transport, { timeout: 2000 }).then(
    () => "connected",
    ({ message }) => message,
  );
  console.log(`${name}: ${await Promise.race([connected, sleep(8000, "still waiting after 8 s")])}`);
}
process.exit();
PROGRAM
observed=$(node probe.mjs)
expected=$'client 2: still waiting after 8 s\nsdk 1: still waiting after 8 s'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
