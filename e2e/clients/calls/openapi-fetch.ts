// openapi-fetch, with the types that openapi-typescript makes of openapi.json and of the document of Petstore 3.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "../generated/openapi.ts";
import type { paths as Petstore3 } from "../generated/petstore3.ts";

const baseUrl = `${process.env["SANDBOX"]}/v2`;

// #region excerpt
const client = createClient<paths>({ baseUrl });

const { data: pet } = await client.POST("/pet", {
  body: { name: "Rex", photoUrls: ["rex.png"], tags: [{ name: "dog" }], status: "available" },
});
assert(pet);
const path = { petId: pet.id };
await client.PUT("/pet", { body: { ...pet, status: "pending" } });
const { data: found, error } = await client.GET("/pet/{petId}", { params: { path } });
if (error) throw new Error(error.message);
assert.deepEqual(found, { ...pet, status: "pending" });
// #endregion

const query = { status: ["sold", "pending"] as const };
const listed = await client.GET("/pet/findByStatus", {
  params: { query: { status: [...query.status] } },
});
assert.deepEqual(listed.data, [found]);
const header = { api_key: "special-key" };
await client.DELETE("/pet/{petId}", { params: { path, header } });
const missing = await client.GET("/pet/{petId}", { params: { path } });
assert.equal(missing.error?.message, "Pet not found");

const shipDate = new Date(0).toISOString();
const { data: order } = await client.POST("/store/order", { body: { petId: 1, shipDate } });
assert(order);
const orderId = { params: { path: { orderId: order.id } } };
assert.deepEqual((await client.GET("/store/order/{orderId}", orderId)).data, order);

const user = { username: "ada", password: "12345" };
await client.POST("/user", { body: user });
const { data: login } = await client.GET("/user/login", { params: { query: user } });
assert.match(login?.message ?? "", /^logged in user session:/);

// Bodies that the types accept and reject.
export const inArray: components["schemas"]["NewPet"] = { name: "Rex", photoUrls: ["rex.png"] };
export const inText: components["schemas"]["NewPet"] = { name: "Rex", photoUrls: "rex.png" };
// @ts-expect-error -- photoUrls is required
export const bare: components["schemas"]["NewPet"] = { name: "Rex" };
// @ts-expect-error -- there is no such status
export const lost: components["schemas"]["Pet"]["status"] = "lost";

const petstore3 = createClient<Petstore3>({ baseUrl: `${process.env["SANDBOX"]}/api/v3` });
const added = await petstore3.POST("/pet", {
  body: { name: "Max", photoUrls: [], status: "sold" },
});
assert.equal(added.data?.name, "Max");
const petId = added.data.id ?? 0;
const updated = await petstore3.POST("/pet/{petId}", {
  params: { path: { petId }, query: { status: "pending" } },
});
assert.equal(updated.data?.status, "pending");
