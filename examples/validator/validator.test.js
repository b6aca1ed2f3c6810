import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startPetStore } from "pet-store-service";
import { Validator } from "./validator.js";

let store;
let validator;
before(async () => {
  store = await startPetStore({ data: "classic" });
  validator = new Validator(await (await fetch(`${store.url}/openapi.json`)).json());
});
after(async () => store?.stop());

/** What the validator says of the next answer, which a rule changes. */
async function wrongBy(rule, path = "/pet/{petId}", url = "/pet/1") {
  await store.faults([{ ...rule, times: 1 }]);
  return validator.check(path, "get", await fetch(store.url + url));
}

test("accepts the real answer", async () => {
  assert.deepEqual(await wrongBy({ delayMs: 1 }), []);
});

test("notices a wrong type", async () => {
  assert.deepEqual(await wrongBy({ patch: { id: "one" } }), ["/id must be integer"]);
});

test("notices a missing member", async () => {
  const wrong = await wrongBy({ patch: { name: null } });
  assert.deepEqual(wrong, [" must have required property 'name'"]);
});

test("notices a wrong item of a list", async () => {
  const list = "/pet/findByStatus";
  const wrong = await wrongBy({ patch: { status: "lost" } }, list, `${list}?status=sold&limit=1`);
  assert.deepEqual(wrong, ["/0/status must be equal to one of the allowed values"]);
});

test("notices a wrong content type", async () => {
  const wrong = await wrongBy({ headers: { "content-type": "text/plain" } });
  assert.deepEqual(wrong, ["the content type text/plain is not in the document"]);
});

test("notices a missing header", async () => {
  assert.deepEqual(await wrongBy({ headers: { ETag: null } }), ["the header ETag is missing"]);
});

test("notices an undocumented status", async () => {
  const wrong = await wrongBy({ status: 202, body: "{}" });
  assert.deepEqual(wrong, ["the status 202 is not in the document"]);
});
