const { randomUUID } = require("node:crypto");

// A sandbox for this test file. The first request creates it.
const store = `${process.env.PET_STORE}/stores/${randomUUID()}`;

async function send(method, path, content) {
  const headers = { "Content-Type": "application/json" };
  const request = { method, headers, body: JSON.stringify(content) };
  const answer = await fetch(store + path, request);
  const body = await answer.text();
  return { status: answer.status, content: body && JSON.parse(body) };
}

beforeEach(async () => {
  await send("PUT", "/faults", []);
  await send("PUT", "/data", { data: "empty" });
});

test("finds a pet that it added", async () => {
  const added = await send("POST", "/v2/pet", { name: "Rex", photoUrls: [] });
  const found = await send("GET", `/v2/pet/${added.content.id}`);
  expect(found.content.name).toBe("Rex");
});

test("begins with an empty store, and fails on demand", async () => {
  await send("PUT", "/faults", [{ operationId: "getInventory", times: 1, status: 503 }]);
  const failed = await send("GET", "/v2/store/inventory");
  expect(failed.status).toBe(503);
  const counts = await send("GET", "/v2/store/inventory");
  expect(counts.content).toEqual({ available: 0, pending: 0, sold: 0 });
});
