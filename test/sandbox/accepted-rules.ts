import type { Rule } from "../../src/sandbox/rules/rules.ts";

const PATCH = { id: "one", name: null, nested: { deep: [1] } };

/** Rules that a sandbox accepts. Together, they have every field. */
export const ACCEPTED_RULES: readonly Rule[] = [
  { status: 200 },
  { operationId: "getPetById", status: 503, times: 1, every: 3, chance: 0.5 },
  { method: "GET", path: "/pet/1", delayMs: 30_000 },
  { path: "/pet/{petId}", patch: PATCH },
  { path: "/user/J%C3%B6rg", break: "body" },
  { path: "/user/%2E%2E%2Fa", status: 503 },
  { operationId: "getPetById", method: "HEAD", path: "/pet/{petId}", status: 503 },
  { operationId: "findPetsByStatus", path: "/pet/findByStatus", status: 503 },
  { operationId: "deletePet", path: "/pet/findByStatus", status: 503 },
  { operationId: "createUsersWithArrayInput", path: "/user/createWithArray", status: 503 },
  // It is 405, and a rule can change that.
  { method: "DELETE", path: "/store/inventory", status: 503 },
  { status: 503, retryAfter: 86_400 },
  { status: 502, body: "<h1>Bad gateway</h1>", headers: { "content-type": "text/html" } },
  { patch: PATCH, headers: { etag: null, "X-Own": "yes" }, delayMs: 5, break: "json" },
  { match: {}, status: 503 },
  { match: { query: {}, headers: {}, body: {} }, operationId: "addPet", status: 503 },
  { match: { query: { constructor: "1", "": null }, headers: { "X-A": "b", cookie: null }, body: null }, slowMs: 1 },
  { match: { body: [{ a: 1 }] }, method: "POST", slowMs: 30_000, break: "body" },
  { delayMs: [1, 30_000], break: "connection", after: true, times: 1 },
  { delayMs: [7, 7] },
  { status: 307, location: "/pet/findByStatus?status=sold&a=/../b" },
  { status: 301, location: "/", after: true, slowMs: 5 },
];
