import { describe, expect, test } from "vitest";
import { createPet, getJson, send } from "../client.ts";

/** Sends a request, with a body if it is a POST. */
const sendTo = async (method: string, path: string) =>
  send(method, path, method === "POST" ? { body: new URLSearchParams({ name: "Max" }) } : {});

describe.each([
  ["GET", "/v2/pet/{}", "Pet not found"],
  ["POST", "/v2/pet/{}", "Pet not found"],
  ["DELETE", "/v2/pet/{}", "Pet not found"],
  ["DELETE", "/v2/store/order/{}", "Order not found"],
  ["GET", "/api/v3/pet/{}", "Pet not found"],
  ["POST", "/api/v3/pet/{}?name=Max", "Pet not found"],
  ["DELETE", "/api/v3/pet/{}", "Pet not found"],
  ["GET", "/api/v3/store/order/{}", "Order not found"],
  ["DELETE", "/api/v3/store/order/{}", "Order not found"],
])("the ID in %s %s", (method, path, missing) => {
  test.each([
    ..."abc 007 +7 %2B7 -0 -07 - 7.0 7. 7e0 0x7 7n 1_000 [7]".split(" "),
    ..."%207 7%20 7%0A 7%00 7%2F8 ７ %EF%BC%97 %ZZ 7%ZZ %FF NaN {petId}".split(" "),
  ])("returns 400 if it is not a canonical integer: %s", async (id) => {
    const response = await sendTo(method, path.replace("{}", id));
    expect(await response.json()).toMatchObject({ code: 400, type: "error" });
  });

  test.each([
    ..."0 -1 987654321 9007199254740992 9223372036854775808 -9223372036854775809".split(" "),
    "1".repeat(400),
  ])("returns 404 if no resource has it: %s", async (id) => {
    const response = await sendTo(method, path.replace("{}", id));
    expect(await response.json()).toMatchObject({ code: 404, message: missing });
  });
});

test("an ID above 2^53 does not find the pet with the ID 2^53-1", async () => {
  const pet = await createPet({ id: Number.MAX_SAFE_INTEGER });
  for (const id of ["9007199254740992", "9007199254740993", "-9007199254740991"]) {
    expect((await send("DELETE", `/v2/pet/${id}`)).status).toBe(404);
  }
  expect(await getJson(`/v2/pet/${pet.id}`)).toEqual(pet);
});

describe.each([
  ["GET", "/v2/user/", "Invalid username supplied"],
  ["PUT", "/v2/user/", "Invalid user supplied"],
  ["DELETE", "/v2/user/", "Invalid username supplied"],
  ["GET", "/api/v3/user/", "Invalid username supplied"],
  ["DELETE", "/api/v3/user/", "Invalid username supplied"],
])("the username in %s %s{username}", (method, path, message) => {
  const json = method === "PUT" ? { phone: "1" } : undefined;

  test.each([
    ..."%20 %09 %C2%A0 %00 %C2%85 a%0Ab %7F %E3%80%80 %FF %E0%A4%A %E0%2541 a%C3%28 %ED%A0%80".split(" "),
    "x".repeat(129),
    "%F0%9F%90%B6".repeat(129),
  ])("returns 400 if it is not a valid username: %s", async (username) => {
    const response = await send(method, path + username, { json });
    const errors = [{ path: "username" }];
    expect(await response.json()).toMatchObject({ code: 400, message, errors });
  });
});
