import { describe, expect, test } from "vitest";
import { sandbox, send } from "../client.ts";

const demand = async (path: string, ...json: object[]) => {
  expect((await send("PUT", `${path}/faults`, { json })).status).toBe(204);
};

/** Sends a request whose answer a rule changes. */
const ask = async (path: string, method = "GET") => send(method, path, { documented: false });

async function classicSandbox(): Promise<string> {
  const path = sandbox();
  await send("PUT", `${path}/data`, { json: { data: "classic" } });
  return path;
}

describe("a patch", () => {
  test("is merged into a success, and changes nothing that is stored", async () => {
    const path = await classicSandbox();
    const real = await (await send("GET", `${path}/v2/pet/1`)).json<object>();
    await demand(path, { patch: { id: "one", name: null, category: { id: null, size: 1 } } });
    const answer = await ask(`${path}/v2/pet/1`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-security-policy")).toMatch(/\bsandbox\b/);
    const patched = { ...real, id: "one", name: undefined, category: { name: "Cats", size: 1 } };
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(patched)));
    await demand(path);
    expect(await (await send("GET", `${path}/v2/pet/1`)).json()).toEqual(real);
  });

  test("is merged into each item of a list, however long, and into no error", async () => {
    const path = sandbox();
    const pets = Array.from({ length: 500 }, () => ({ name: "R", photoUrls: [], status: "sold" }));
    await send("PUT", `${path}/data`, { json: { pets } });
    await demand(path, { patch: { name: null, colour: "red" } });
    for (const base of [`${path}/v2`, `${path}/api/v3`]) {
      const list = await ask(`${base}/pet/findByStatus?status=sold`);
      expect(await list.json()).toEqual(
        pets.map((_, at) => ({ id: at + 1, photoUrls: [], status: "sold", colour: "red" })),
      );
      expect(await (await ask(`${base}/pet/abc`)).text()).not.toContain("red");
    }
  });

  test("cannot reach a prototype", async () => {
    const path = await classicSandbox();
    await demand(path, { patch: JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') });
    expect(await (await ask(`${path}/v2/pet/1`)).text()).toContain('"constructor":2');
    expect({}).not.toHaveProperty("polluted");
  });
});

test("a rule sets and removes headers of the real answer", async () => {
  const path = await classicSandbox();
  const real = await (await send("GET", `${path}/v2/pet/1`)).text();
  await demand(path, { headers: { ETag: null, "x-own": "yes", "cache-control": "max-age=60" } });
  const answer = await ask(`${path}/v2/pet/1`);
  expect([answer.status, await answer.text()]).toEqual([200, real]);
  expect(answer.headers.has("etag")).toBe(false);
  expect(answer.headers.get("x-own")).toBe("yes");
  expect(answer.headers.get("cache-control")).toBe("max-age=60");
});

test("a rule delays an answer, which is the real one", async () => {
  const path = await classicSandbox();
  await demand(path, { delayMs: 40 });
  const answer = await send("GET", `${path}/v2/pet/1`);
  expect(await answer.json()).toMatchObject({ id: 1 });
  const [{ ms } = { ms: 0 }] = await (
    await send("GET", `${path}/requests`)
  ).json<{ ms: number }[]>();
  expect(ms).toBeGreaterThanOrEqual(40);
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

describe("an answer that breaks", () => {
  test.each([
    ["an object", "/v2/pet/1", {}],
    ["a list", "/v2/pet/findByStatus?status=available", {}],
    ["an error", "/v2/pet/404", {}],
    ["an error on demand", "/v2/pet/1", { status: 500 }],
  ])("has half of its body: %s", async (_, below, rule) => {
    const path = await classicSandbox();
    if ("status" in rule) await demand(path, rule);
    const whole = await (await ask(path + below)).text();
    for (const [kind, isWhole] of [
      ["body", false],
      ["json", true],
    ] as const) {
      await demand(path, { ...rule, break: kind });
      const half = await received(await ask(path + below));
      expect(half.isWhole).toBe(isWhole);
      expect(whole.startsWith(half.text)).toBe(true);
      expect(() => JSON.parse(half.text) as unknown).toThrow(SyntaxError);
      expect(await (await send("GET", `${path}/faults`)).json()).toMatchObject([{ used: 1 }]);
    }
  });

  test("is whole if it has no body", async () => {
    const path = await classicSandbox();
    for (const kind of ["body", "json"]) {
      await demand(path, { break: kind });
      const answer = await ask(`${path}/v2/pet/1`, "HEAD");
      expect([answer.status, await received(answer)]).toEqual([200, { isWhole: true, text: "" }]);
    }
  });
});
