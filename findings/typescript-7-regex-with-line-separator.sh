#!/usr/bin/env bash
# typescript 7.0.2: a regular expression literal that contains U+2028 itself, not its escape, compiles without an error, and the output
# does not parse in any engine. typescript 5.9.3 reports "Unterminated regular expression literal" for the same file.
# Guess: both report it, because ECMAScript allows no line terminator in such a literal.
# Why it matters: generators print patterns of OpenAPI documents as literals. The type check in CI passes, and the import fails.
# Output seen: "typescript 5.9.3: TS1161, typescript 7.0.2: no error, node: SyntaxError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund old@npm:typescript@5.9.3 new@npm:typescript@7.0.2 >/dev/null 2>&1
node -e 'require("fs").writeFileSync("pattern.ts", "export const NO_SEPARATOR: RegExp = /^[^\u2028]*$/;\n")'
compile() {
  node "node_modules/$1/bin/tsc" --target es2022 --module es2022 --rootDir . --outDir "$1-out" pattern.ts | grep -o 'TS1161' | head -1 || true
}
old=$(compile old)
new=$(compile new)
ran=$(node --input-type=module <new-out/pattern.js 2>&1 | grep -o 'SyntaxError' || true)
observed="typescript 5.9.3: ${old:-no error}, typescript 7.0.2: ${new:-no error}, node: ${ran:-no error}"
expected='typescript 5.9.3: TS1161, typescript 7.0.2: no error, node: SyntaxError'
echo "$observed"
[[ $observed == "$expected" ]] || { echo "expected: $expected"; exit 1; }
