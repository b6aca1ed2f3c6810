import { describe, expect, test } from "vitest";
import { getJson, send } from "../client.ts";
import { classicSandbox, demand } from "./sandboxes.ts";

/** Sends a request whose response a rule changes. */
const ask = async (path: string, method = "GET") => send(method, path, { documented: false });

describe("a patch", () => {
  test("is merged into a success response, and changes no stored data", async () => {
    const path = await classicSandbox({ patch: { id: "one", name: null, category: { id: null, a: 1 } } });
    const response = await ask(`${path}/v2/pet/1`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-security-policy")).toMatch(/\bsandbox\b/);
    const patched = await response.json<object>();
    await demand(path);
    const real = await getJson<{ name?: string }>(`${path}/v2/pet/1`);
    expect(real).toMatchObject({ id: 1, name: "Cat 1", category: { name: "Cats" } });
    const { name: _, ...rest } = real;
    expect(patched).toEqual({ ...rest, id: "one", category: { name: "Cats", a: 1 } });
  });

  test("is merged into each item of a list of any length, but not into errors", async () => {
    const path = await classicSandbox({ patch: { name: null, colour: "red" } });
    const pets = Array.from({ length: 500 }, () => ({ name: "R", photoUrls: [], status: "sold" }));
    await send("PUT", `${path}/data`, { json: { pets } });
    for (const base of [`${path}/v2`, `${path}/api/v3`]) {
      const list = await ask(`${base}/pet/findByStatus?status=sold`);
      expect(await list.json()).toEqual(
        pets.map((_, at) => ({ id: at + 1, photoUrls: [], status: "sold", colour: "red" })),
      );
      expect(await (await ask(`${base}/pet/abc`)).text()).not.toContain("red");
    }
  });

  test("cannot reach a prototype", async () => {
    const patch = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') as object;
    const path = await classicSandbox({ patch });
    expect(await (await ask(`${path}/v2/pet/1`)).text()).toContain('"constructor":2');
    expect({}).not.toHaveProperty("polluted");
  });
});

test("a rule delays the real response", async () => {
  const path = await classicSandbox({ delayMs: 40 });
  expect(await getJson(`${path}/v2/pet/1`)).toMatchObject({ id: 1 });
  const record = await send("GET", `${path}/requests`);
  const [request] = await record.json<{ ms: number }[]>();
  expect(request?.ms).toBeGreaterThanOrEqual(40);
});

/** Reads as much of a body as comes. */
async function received({ body }: Response) {
  const chunks: Uint8Array[] = [];
  let isWhole = true;
  try {
    for await (const chunk of body ?? []) chunks.push(chunk);
  } catch {
    isWhole = false;
  }
  return { isWhole, text: await new Blob(chunks).text() };
}

describe.each([
  ["body", false],
  ["json", true],
])("a response that breaks as %s", (kind, isWhole) => {
  test.each([
    ["an object", "/v2/pet/1", {}],
    ["a list", "/v2/pet/findByStatus?status=available", {}],
    ["an error", "/v2/pet/404", {}],
    ["an error on demand", "/v2/pet/1", { status: 500 }],
  ])("has half of its body: %s", async (_, below, rule) => {
    const path = await classicSandbox({ ...rule, break: kind, times: 1 }, { ...rule, delayMs: 1 });
    const half = await received(await ask(path + below));
    const whole = await (await ask(path + below)).text();
    expect(half.isWhole).toBe(isWhole);
    expect(whole.startsWith(half.text)).toBe(true);
    expect(() => JSON.parse(half.text) as unknown).toThrow(SyntaxError);
  });

  test("is whole if it has no body", async () => {
    const response = await ask(`${await classicSandbox({ break: kind })}/v2/pet/1`, "HEAD");
    expect([response.status, await received(response)]).toEqual([200, { isWhole: true, text: "" }]);
  });
});
