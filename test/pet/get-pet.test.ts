import { expect, test } from "vitest";
import { send } from "../client.ts";

test("a pet is found by the id that its creation gave", async () => {
  const created = await send("POST", "/pet", { json: { name: "Rex", photoUrls: "rex.png" } });
  expect(created.status).toBe(200);
  const { id } = created.json as { id: number };
  const found = await send("GET", `/pet/${id}`);
  expect(found.status).toBe(200);
  expect(found.json).toEqual({ id, name: "Rex", photoUrls: "rex.png" });
  expect(found.headers.get("etag")).toBe(created.headers.get("etag"));
});
