#!/usr/bin/env bash
# openapi-zod-client 1.18.3: a string that can also be `null` (OpenAPI 3.1: "type": ["string", "null"]) loses its `pattern` and
# `maxLength`. The same property without "null" keeps both.
# Guess: the schema of the string is the same, followed by `.nullable()`.
# Why it matters: most generators of 3.1 documents write optional fields this way. The schemas then accept any string.
# Output seen: "string: rejected, string or null: accepted"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund openapi-zod-client@1.18.3 zod@3.25.76 @zodios/core@10.9.6 axios@1.21.1 esbuild@0.28.2 >/dev/null 2>&1
cat >api.json <<'DOCUMENT'
{
  "openapi": "3.1.0",
  "info": { "title": "codes", "version": "1" },
  "paths": {
    "/codes": {
      "post": {
        "operationId": "addCode",
        "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Code" } } } },
        "responses": { "204": { "description": "Added" } }
      }
    }
  },
  "components": {
    "schemas": {
      "Code": {
        "type": "object",
        "properties": {
          "plain": { "type": "string", "pattern": "^[0-9]+$", "maxLength": 3 },
          "orNull": { "type": ["string", "null"], "pattern": "^[0-9]+$", "maxLength": 3 }
        }
      }
    }
  }
}
DOCUMENT
npx --no-install openapi-zod-client api.json -o api.ts >/dev/null 2>&1
cat >probe.ts <<'PROGRAM'
import { schemas } from "./api.ts";

const verdict = (value: object) => (schemas.Code.safeParse(value).success ? "accepted" : "rejected");
console.log(`string: ${verdict({ plain: "letters" })}, string or null: ${verdict({ orNull: "letters" })}`);
PROGRAM
npx --no-install esbuild probe.ts --bundle --platform=node --format=esm --packages=external --outfile=probe.mjs --log-level=error
observed=$(node probe.mjs)
expected='string: rejected, string or null: accepted'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
