#!/usr/bin/env bash
# ng-openapi-gen 1.1.0: a component that is only referred to by the items of an array that can be `null` (OpenAPI 3.1: "type": ["array",
# "null"]) gets no file, but the model that has the array imports that file. Without "null", the file is written.
# Guess: every component that another one refers to is written.
# Why it matters: generation succeeds with status 0, and the application does not compile.
# Output seen: "array: model import, array or null: import"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund ng-openapi-gen@1.1.0 >/dev/null 2>&1
generate() {
  cat >api.json <<DOCUMENT
{
  "openapi": "3.1.0",
  "info": { "title": "pets", "version": "1" },
  "paths": {
    "/pets": {
      "post": {
        "operationId": "addPet",
        "requestBody": { "content": { "application/json": { "schema": { "\$ref": "#/components/schemas/Pet" } } } },
        "responses": { "204": { "description": "Added" } }
      }
    }
  },
  "components": {
    "schemas": {
      "Pet": {
        "type": "object",
        "properties": { "tags": { "type": $1, "items": { "\$ref": "#/components/schemas/Tag" } } }
      },
      "Tag": { "type": "object", "properties": { "name": { "type": "string" } } }
    }
  }
}
DOCUMENT
  rm -rf out
  npx --no-install ng-openapi-gen --input api.json --output out >/dev/null 2>&1
  local parts=()
  if [[ -f out/models/tag.ts ]]; then parts+=(model); fi
  if grep -q "models/tag'" out/models/pet.ts; then parts+=(import); fi
  echo "${parts[*]}"
}
observed="array: $(generate '"array"'), array or null: $(generate '["array", "null"]')"
expected='array: model import, array or null: import'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
