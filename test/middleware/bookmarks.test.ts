import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createPet, send } from "../client.ts";

/** Wraps D1 and records how sessions start. */
function recordingD1() {
  const constraints: (string | undefined)[] = [];
  const DB = new Proxy(env.DB, {
    get: (target, name) =>
      name === "withSession"
        ? (constraint?: string) => {
            constraints.push(constraint);
            return target.withSession(constraint);
          }
        : (Reflect.get(target, name) as unknown),
  });
  return { constraints, DB };
}

test("each response that uses D1 has a bookmark, which a later request passes to D1", async () => {
  const created = await send("POST", "/v2/pet", { json: { name: "Rex", photoUrls: [] } });
  const bookmark = created.headers.get("x-d1-bookmark") ?? "";
  expect(bookmark).toMatch(/\S/);
  const { id } = await created.json<{ id: number }>();
  const { constraints, DB } = recordingD1();
  const headers = { "x-d1-bookmark": bookmark };
  const found = await send("GET", `/v2/pet/${id}`, { headers, env: { DB } });
  expect(found.status).toBe(200);
  expect(found.headers.get("x-d1-bookmark")).toMatch(/\S/);
  expect(constraints).toEqual([bookmark]);
});

test.each(["", "garbage", "first-unconstrained", "0-0-0-0"])(
  "without a valid bookmark, reads go to the primary: %j",
  async (bookmark) => {
    const { id } = await createPet();
    const { constraints, DB } = recordingD1();
    const headers = { "x-d1-bookmark": bookmark };
    const response = await send("GET", `/v2/pet/${id}`, { headers, env: { DB } });
    expect(response.status).toBe(200);
    await send("GET", "/v2/pet/findByStatus?status=sold", { env: { DB } });
    expect(constraints).toEqual(["first-primary", "first-primary"]);
  },
);
