import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createPet, getJson, placeOrder, send } from "../client.ts";

beforeEach(async () => {
  await env.DB.exec("DELETE FROM pets");
});

const inventory = async () => getJson("/v2/store/inventory");

test("the inventory counts pets by status, and is exact after every write", async () => {
  expect(await inventory()).toEqual({ available: 0, pending: 0, sold: 0 });
  const one = await createPet({ status: "available" });
  const two = await createPet({ status: "available" });
  await createPet({});
  await placeOrder({ petId: one.id, quantity: 5 });
  expect(await inventory()).toEqual({ available: 2, pending: 0, sold: 0 });
  await send("PUT", "/v2/pet", { json: { ...one, status: "sold" } });
  expect(await inventory()).toEqual({ available: 1, pending: 0, sold: 1 });
  await send("POST", `/v2/pet/${two.id}`, { body: new URLSearchParams({ status: "pending" }) });
  expect(await inventory()).toEqual({ available: 0, pending: 1, sold: 1 });
  await send("PUT", "/v2/pet", { json: { ...two, status: undefined } });
  expect(await inventory()).toEqual({ available: 0, pending: 0, sold: 1 });
  await send("DELETE", `/v2/pet/${one.id}`);
  expect(await inventory()).toEqual({ available: 0, pending: 0, sold: 0 });
});
