// A sandbox for this test file.
let sandbox;

async function send(method, url, json) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url, { method, headers, body: JSON.stringify(json) });
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text) };
}

beforeAll(async () => {
  const made = await send("POST", process.env.SANDBOXES);
  sandbox = `${process.env.SANDBOXES}/${made.body.name}`;
});

beforeEach(async () => {
  await send("DELETE", `${sandbox}/faults`);
  await send("PUT", `${sandbox}/data`, { data: "empty" });
});

test("finds a pet that it added", async () => {
  const added = await send("POST", `${sandbox}/v2/pet`, { name: "Rex", photoUrls: [] });
  const found = await send("GET", `${sandbox}/v2/pet/${added.body.id}`);
  expect(found.body.name).toBe("Rex");
});

test("begins with an empty store, and fails on demand", async () => {
  await send("PUT", `${sandbox}/faults`, [{ operationId: "getInventory", times: 1, status: 503 }]);
  const failed = await send("GET", `${sandbox}/v2/store/inventory`);
  expect(failed.status).toBe(503);
  const counts = await send("GET", `${sandbox}/v2/store/inventory`);
  expect(counts.body).toEqual({ available: 0, pending: 0, sold: 0 });
});
