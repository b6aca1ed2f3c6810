#!/usr/bin/env bash
# @modelcontextprotocol/client 2.4.0, default settings (revision 2025-11-25): if the result of tools/list has a field `ttlMs`, the next
# listTools() sends no request for that time. Only the revision 2026-07-28 defines this field; older ones let a server add any field.
# Guess: the field is ignored, because the negotiated revision does not have it.
# Why it matters: a server that adds the field for newer clients, whatever was negotiated, freezes the list of older ones, too.
# Output seen: "2025-11-25: 1 request for two lists of 1 and 1 tools, although there are 2"
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

const serverInfo = { name: "server", version: "1" };
const tools = [];
let requests = 0;
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  const { id, method } = await json(request);
  if (id === undefined) return response.writeHead(202).end();
  if (method === "tools/list") requests += 1;
  const result =
    method === "initialize"
      ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo }
      : { tools, ttlMs: 60_000 };
  response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const client = new Client(serverInfo);
await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${server.address().port}`)));
const lengths = [];
for (const name of ["first", "second"]) {
  tools.push({ name, inputSchema: { type: "object" } });
  lengths.push((await client.listTools()).tools.length);
}
const version = client.getNegotiatedProtocolVersion();
console.log(`${version}: ${requests} request for two lists of ${lengths.join(" and ")} tools, although there are ${tools.length}`);
process.exit();
PROGRAM
observed=$(node probe.mjs)
expected='2025-11-25: 1 request for two lists of 1 and 1 tools, although there are 2'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
