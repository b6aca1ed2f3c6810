import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import createClient from "openapi-fetch";
import type { paths } from "../generated/openapi-fetch.exact/petstore.ts";

const baseUrl = process.env["PETSTORE"];

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

await client.POST("/pet/{petId}", {
  params: { path },
  body: { name: "Max", status: "sold" },
  headers: { "Content-Type": "application/x-www-form-urlencoded" },
});
const { data: sold } = await client.GET("/pet/findByStatus", {
  params: { query: { status: ["sold", "pending"] } },
});
assert.deepEqual(sold, [{ ...pet, name: "Max", status: "sold" }]);

const image = await openAsBlob("rex.png");
await client.POST("/pet/{petId}/uploadImage", {
  params: { path },
  body: { additionalMetadata: "at the lake", file: "rex.png" },
  bodySerializer: ({ additionalMetadata = "", file }) => {
    const form = new FormData();
    form.set("additionalMetadata", additionalMetadata);
    form.set("file", image, file);
    return form;
  },
});
const { data: inventory } = await client.GET("/store/inventory");
assert.deepEqual(inventory, { available: 0, pending: 0, sold: 1 });
await client.DELETE("/pet/{petId}", { params: { path, header: { api_key: "special-key" } } });
const { response } = await client.GET("/pet/{petId}", { params: { path } });
assert.equal(response.status, 404);

const { data: order } = await client.POST("/store/order", {
  body: { petId: pet.id, quantity: 1, shipDate: new Date(0).toISOString(), status: "placed" },
});
assert(order);
const orderPath = { params: { path: { orderId: order.id } } };
assert.deepEqual((await client.GET("/store/order/{orderId}", orderPath)).data, order);
await client.DELETE("/store/order/{orderId}", orderPath);

const user = { username: "theUser", firstName: "John", email: "john@email.com", password: "12345" };
await client.POST("/user", { body: user });
await client.POST("/user/createWithList", { body: [{ username: "other" }] });
const { data: login } = await client.GET("/user/login", {
  params: { query: { username: user.username, password: user.password } },
});
assert.match(login?.message ?? "", /^logged in user session:/);
const userPath = { params: { path: { username: user.username } } };
await client.PUT("/user/{username}", { ...userPath, body: { phone: "12345" } });
const { data: shown } = await client.GET("/user/{username}", userPath);
assert.partialDeepStrictEqual(shown, { ...user, phone: "12345" });
await client.GET("/user/logout");
await client.DELETE("/user/{username}", userPath);
await client.DELETE("/user/{username}", { params: { path: { username: "other" } } });
