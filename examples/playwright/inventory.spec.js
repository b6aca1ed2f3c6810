import { test as base, expect } from "@playwright/test";

const test = base.extend({
  // Each test gets a sandbox, so tests can run in parallel.
  sandbox: async ({ request, baseURL }, use) => {
    const { name } = await (await request.post("/sandboxes")).json();
    const sandbox = `${baseURL}/sandboxes/${name}`;
    await use(sandbox);
    await request.delete(sandbox);
  },
});

const pageOf = (sandbox) => new URL(`inventory.html?api=${sandbox}/v2`, import.meta.url).href;

test("shows how many pets are available", async ({ page, request, sandbox }) => {
  await request.put(`${sandbox}/data`, { data: { data: "classic" } });
  await page.goto(pageOf(sandbox));
  await expect(page.getByRole("status")).toHaveText("7 pets available");
});

test("says so if the service is not available", async ({ page, request, sandbox }) => {
  await request.put(`${sandbox}/faults`, { data: [{ operationId: "getInventory", status: 503 }] });
  await page.goto(pageOf(sandbox));
  await expect(page.getByRole("status")).toHaveText("Try again later");
});
