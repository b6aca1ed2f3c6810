import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import createClient from "openapi-fetch";
import type { paths } from "../generated/openapi-fetch.petstore3/petstore.ts";

const baseUrl = process.env["PETSTORE"];

const client = createClient<paths>({ baseUrl });

const { data: pet } = await client.POST("/pet", {
  body: { name: "Rex", photoUrls: ["rex.png"], tags: [{ name: "dog" }], status: "available" },
});
assert(pet?.id);
const path = { petId: pet.id };
await client.PUT("/pet", { body: { ...pet, status: "pending" } });
const { data: found } = await client.GET("/pet/{petId}", { params: { path } });
assert.deepEqual(found, { ...pet, status: "pending" });

const query = { name: "Max", status: "sold" } as const;
const { data: renamed } = await client.POST("/pet/{petId}", { params: { path, query } });
assert.deepEqual(renamed, { ...pet, ...query });
const { data: sold } = await client.GET("/pet/findByStatus", {
  params: { query: { status: "sold" } },
});
assert.deepEqual(sold, [renamed]);
const image = await openAsBlob("rex.png");
const { data: uploaded } = await client.POST("/pet/{petId}/uploadImage", {
  params: { path, query: { additionalMetadata: "at the lake" } },
  body: "rex.png",
  bodySerializer: () => image,
  headers: { "Content-Type": "application/octet-stream" },
});
assert.match(uploaded?.message ?? "", /at the lake/);
const { data: inventory } = await client.GET("/store/inventory");
assert.deepEqual(inventory, { available: 0, pending: 0, sold: 1 });
const parseAs = "text";
await client.DELETE("/pet/{petId}", { params: { path }, parseAs });
const { response } = await client.GET("/pet/{petId}", { params: { path } });
assert.equal(response.status, 404);

const { data: order } = await client.POST("/store/order", {
  body: { petId: pet.id, quantity: 1, shipDate: new Date(0).toISOString(), status: "placed" },
});
assert(order?.id);
const orderPath = { params: { path: { orderId: order.id } } };
assert.deepEqual((await client.GET("/store/order/{orderId}", orderPath)).data, order);
await client.DELETE("/store/order/{orderId}", { ...orderPath, parseAs });

const user = { username: "theUser", firstName: "John", email: "john@email.com", password: "12345" };
const { username, password } = user;
const { data: created } = await client.POST("/user", { body: user });
assert.partialDeepStrictEqual(created, user);
const { data: list } = await client.POST("/user/createWithList", { body: [{ username: "other" }] });
assert.partialDeepStrictEqual(list, [{ username: "other" }]);
const { data: login } = await client.GET("/user/login", {
  params: { query: { username, password } },
});
assert.match(login ?? "", /^Logged in user session: /);
const userPath = { params: { path: { username } } };
await client.PUT("/user/{username}", { ...userPath, body: { phone: "12345" } });
const { data: shown } = await client.GET("/user/{username}", userPath);
assert.deepEqual(shown, { ...created, phone: "12345" });
await client.GET("/user/logout", { parseAs });
await client.DELETE("/user/{username}", { ...userPath, parseAs });
await client.DELETE("/user/{username}", { params: { path: { username: "other" } }, parseAs });
