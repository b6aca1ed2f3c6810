import { describe, expect, test } from "vitest";
import { interfaces } from "../../src/routes.ts";
import { send } from "../client.ts";
import type { Answer, Sent } from "../client.ts";
import { createPet, createUser, freeOrderIds, placeOrder, uniqueId } from "../fixtures.ts";
import { BASE_PATH, PETSTORE3_PATH } from "../../src/http/base-path.ts";
import { basePath as ofStore } from "../engine.ts";
import { asPetstore3, exchange } from "../operations.ts";

const pet = { name: "Rex", photoUrls: "rex.png" };

const locationOf = ({ headers }: Answer) => headers.get("content-location");
const idOf = ({ json }: Answer) => (json as { id: number }).id;

const petstore3 = ofStore.replace(BASE_PATH, PETSTORE3_PATH);

test.each(interfaces)(
  "the operations of $basePath that show an item below their path are those tested here",
  ({ routes }) => {
    const showing = routes.filter(({ endpoint }) => endpoint.operation.showsItem);
    expect(showing.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /pet",
      "PUT /pet",
      "POST /store/order",
    ]);
  },
);

describe("Content-Location", () => {
  test.each<[string, string, () => Promise<Sent>]>([
    ["POST", "/pet", async () => ({ json: pet })],
    ["POST", "/pet", async () => ({ json: { ...pet, id: uniqueId() } })],
    ["POST", "/pet", async () => ({ json: (await createPet()).shown })],
    ["PUT", "/pet", async () => ({ json: { ...(await createPet()).shown, name: "Max" } })],
    ["POST", "/store/order", async () => ({ json: {} })],
    ["POST", "/store/order", async () => ({ json: (await placeOrder()).shown })],
  ])("names what the body and the ETag of %s %s are of: %# §7.3", async (method, path, sent) => {
    await freeOrderIds();
    const answer = await send(method, path, await sent());
    expect(locationOf(answer)).toBe(`${ofStore}${path}/${idOf(answer)}`);
    const found = await send("GET", `${path}/${idOf(answer)}`);
    expect(found.json).toEqual(answer.json);
    expect(found.headers.get("etag")).toBe(answer.headers.get("etag"));
    const in3 = await exchange(send, asPetstore3({ method, path, ...(await sent()) }));
    expect(locationOf(in3)).toBe(`${petstore3}${path}/${idOf(in3)}`);
  });

  test("names an order beyond 10 too, which can be deleted though not looked up §7.3", async () => {
    const answer = await send("POST", "/store/order", { json: { id: uniqueId() } });
    expect(locationOf(answer)).toBe(`${ofStore}/store/order/${idOf(answer)}`);
    const deleted = await send("DELETE", `/store/order/${idOf(answer)}`);
    expect(deleted.status).toBe(200);
  });

  test("is the same where a key repeats the request, and with a slash at the path's end §7.3", async () => {
    const sent = { json: pet, headers: { "Idempotency-Key": crypto.randomUUID() } };
    const first = await send("POST", "/pet/", sent);
    expect(locationOf(first)).toBe(`${ofStore}/pet/${idOf(first)}`);
    expect(locationOf(await send("POST", "/pet", sent))).toBe(locationOf(first));
  });

  test("has no escape that the path of the request did not need", async () => {
    const answer = await send("POST", "/%70et", { json: pet });
    expect(locationOf(answer)).toBe(`${ofStore}/pet/${idOf(answer)}`);
  });

  test("is not on refusals, on reads, or on answers that show something else", async () => {
    const { path, shown } = await createPet();
    const { path: user } = await createUser();
    const refused = await send("POST", "/pet", { json: { ...shown, name: "Max" } });
    expect([refused.status, locationOf(refused)]).toEqual([405, null]);
    for (const [method, to, sent] of [
      ["GET", path],
      ["POST", path, { body: new URLSearchParams({ name: "Max" }) }],
      ["DELETE", path],
      ["POST", "/user", { json: {} }],
      ["PUT", user, { json: {} }],
    ] as const) {
      const answer = await send(method, to, sent);
      expect([answer.status, locationOf(answer)]).toEqual([200, null]);
    }
  });
});
