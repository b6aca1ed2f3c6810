import { describe, expect, test } from "vitest";
import { createPet, createUser, sandbox, send, uniqueName, type Init } from "../client.ts";

const form = (fields: Record<string, string>) => ({ body: new URLSearchParams(fields) });

/** Updates that change nothing, by what they send. */
const UPDATES: readonly (readonly [what: string, operation: string, init: Init])[] = [
  ["an empty form", "POST /v2/pet/:pet", form({})],
  ["an unknown field", "POST /v2/pet/:pet", form({ color: "red" })],
  ...["/v2", "/api/v3"].flatMap((base) =>
    [{}, { id: 5 }, { password: "" }, { phone: null }, { color: "red" }].map(
      (json) => [JSON.stringify(json), `PUT ${base}/user/:user`, { json }] as const,
    ),
  ),
];

describe.each([
  ["", "D1"],
  [sandbox(), "a sandbox"],
])("%s in %s: an update that changes nothing", (mount) => {
  test.each(UPDATES)("keeps the ETag, and still checks the resource: %s with %s", async (_, operation, init) => {
    const { id } = await createPet({}, { base: `${mount}/v2` });
    const { username } = await createUser({}, { base: `${mount}/v2` });
    const [method = "", route = ""] = operation.split(" ");
    const path = mount + route.replace(":pet", `${id}`).replace(":user", username);
    const show = async () => {
      const response = await send("GET", path);
      return { etag: response.headers.get("etag") ?? "", body: await response.json() };
    };
    const before = await show();

    const update = async (headers: Record<string, string>, to = path) =>
      (await send(method, to, { ...init, headers })).status;
    expect(await update({})).toBe(200);
    expect(await update({ "If-Match": before.etag })).toBe(200);
    expect(await update({ "If-None-Match": '"1"' })).toBe(200);
    expect(await update({ "If-Match": '"1"' })).toBe(412);
    expect(await update({ "If-None-Match": before.etag })).toBe(412);
    expect(await update({ "If-None-Match": "*" })).toBe(412);
    expect(await show()).toEqual(before);

    const other = route.includes("pet") ? "987654321" : uniqueName();
    expect(await update({}, path.replace(/[^/]+$/, other))).toBe(404);
  });
});
