// Sends a request for each operation of a document, in its order. Bodies come from openapi-sampler, which reads schemas only,
// and parameters from their examples. BASE is the URL of the API, or of a proxy in front of it.
import { readFileSync } from "node:fs";
import { sample } from "openapi-sampler";
import type { Document } from "../../../test/documents/operations.ts";
import { walk } from "../../../test/documents/walk.ts";

const BASE = process.env["BASE"] ?? "";
const document = JSON.parse(readFileSync(process.env["DOCUMENT"] ?? "", "utf8")) as Document;

const steps = walk({
  document,
  send: async ({ target, ...init }) => fetch(BASE + target, init),
  bodyFor: (schema: object) => sample(schema, {}, document),
});
const rejected: string[] = [];
let sent = 0;
for await (const { operation, target, response } of steps) {
  sent++;
  if (response.ok) continue;
  const messages = [...(await response.text()).matchAll(/"message":"([^"]*)"/g)].map(([, message]) => message);
  rejected.push(`${operation.method} ${target}: ${response.status} ${messages.join(", ")}`);
}
console.log(JSON.stringify({ sent, rejected }));
