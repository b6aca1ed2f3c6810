#!/usr/bin/env bash
# @modelcontextprotocol/client 2.4.0 with the version negotiation "auto": a server whose `server/discover` names only revisions that the
# client does not know gets `initialize` for 2025-11-25, which it never named.
# Guess: `connect` fails, and the error names the revisions of the server.
# Why it matters: the user reads the error of `initialize` ("Method not found"), and not that the client is too old for the server.
# Output seen: "sent: server/discover, initialize; error: Method not found"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @modelcontextprotocol/client@2.4.0 >/dev/null 2>&1
cat >probe.mjs <<'PROGRAM'
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const sent = [];
const server = createServer(async (request, response) => {
  const { id, method } = await json(request);
  sent.push(method);
  const result = { resultType: "complete", supportedVersions: ["2099-01-01"], capabilities: {}, ttlMs: 0, cacheScope: "private" };
  const outcome = method === "server/discover" ? { result } : { error: { code: -32601, message: "Method not found" } };
  response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const client = new Client({ name: "client", version: "1" }, { versionNegotiation: { mode: "auto" } });
const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${server.address().port}`));
const connected = await client.connect(transport).then(
  () => "connected",
  ({ message }) => `error: ${message}`,
);
console.log(`sent: ${sent.join(", ")}; ${connected}`);
process.exit();
PROGRAM
observed=$(node probe.mjs)
expected='sent: server/discover, initialize; error: Method not found'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
