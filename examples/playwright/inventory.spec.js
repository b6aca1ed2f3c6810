import { test as base, expect } from "@playwright/test";

const test = base.extend({
  // Each test gets a sandbox, so tests can run in parallel.
  store: async ({ request, baseURL }, use) => {
    const made = await request.post("/stores");
    const store = new URL(made.headers().location, baseURL).href;
    await use(store);
    await request.delete(store);
  },
});

const pageOf = (store) => new URL(`inventory.html?api=${store}/v2`, import.meta.url).href;

test("shows how many pets are available", async ({ page, request, store }) => {
  await request.put(`${store}/data`, { data: { data: "classic" } });
  await page.goto(pageOf(store));
  await expect(page.getByRole("status")).toHaveText("7 pets available");
});

test("says so if the service is not available", async ({ page, request, store }) => {
  await request.put(`${store}/faults`, { data: [{ operationId: "getInventory", status: 503 }] });
  await page.goto(pageOf(store));
  await expect(page.getByRole("status")).toHaveText("Try again later");
});
