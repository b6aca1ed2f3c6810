import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createPet, done, outcome, refusal, success, uniqueId } from "../fixtures.ts";

test("a pet is found by the id that its creation gave", async () => {
  const created = await send("POST", "/pet", { json: { name: "Rex", photoUrls: "rex.png" } });
  expect(created.status).toBe(200);
  const { id } = created.json as { id: number };
  const found = await send("GET", `/pet/${id}`);
  expect(found.status).toBe(200);
  expect(found.json).toEqual({ id, name: "Rex", photoUrls: "rex.png" });
  expect(found.headers.get("etag")).toBe(created.headers.get("etag"));
});

test("HEAD of a pet answers like GET, without the body", async () => {
  const { path } = await createPet();
  const get = await send("GET", path);
  const head = await send("HEAD", path);
  expect([head.status, head.text]).toEqual([200, ""]);
  expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
});

test("an id that no pet has is 404", async () => {
  const answer = await send("GET", `/pet/${uniqueId()}`);
  expect(outcome(answer)).toEqual(refusal(404, "Pet not found"));
});

test("a trailing slash is the same route for every pet operation", async () => {
  const json = { id: uniqueId(), name: "Rex", photoUrls: "rex.png", status: "sold", tags: ["/"] };
  expect(outcome(await send("POST", "/pet/", { json }))).toEqual(success(json));
  expect(outcome(await send("PUT", "/pet/", { json }))).toEqual(success(json));
  expect((await send("GET", "/pet/findByStatus/?status=sold")).json).toContainEqual(json);
  expect(outcome(await send("GET", "/pet/findByTags/?tags=/"))).toEqual(success([json]));
  expect(outcome(await send("GET", `/pet/${json.id}/`))).toEqual(success(json));
  expect(outcome(await send("DELETE", `/pet/${json.id}/`))).toEqual(done(String(json.id)));
});
