import { describe, expect, test } from "vitest";
import { createPet, formOf, getJson, sandbox, send, type Init, type ShownPet } from "../client.ts";
import { classicSandbox, demand, readUses, sendUnchecked } from "./sandboxes.ts";

const LIST = "/v2/pet/findByStatus?status=";

/** Requests whose real responses have no JSON for a patch, or fewer than two bytes for a break. */
const UNCHANGED: readonly [what: string, method: string, below: string, kinds: string, init?: Init][] = [
  ["an error", "GET", "/v2/pet/404", "patch"],
  ["an invalid request", "POST", "/api/v3/pet", "patch", { json: {} }],
  ["an unknown path", "GET", "/v2/nowhere", "patch"],
  ["a wrong method", "PATCH", "/v2/pet/1", "patch"],
  ["a line of text", "DELETE", "/api/v3/pet/1", "patch"],
  ["an image", "GET", ":image", "patch break"],
  ["no body", "DELETE", "/api/v3/store/order/8", "patch break"],
  ["HEAD", "HEAD", "/v2/pet/1", "patch break"],
  ["HEAD of a list", "HEAD", `${LIST}sold`, "patch break"],
  ["HEAD of an error", "HEAD", "/v2/pet/404", "patch break"],
];

const RULES = { patch: [{ patch: { name: null } }], break: [{ break: "body" }, { break: "json" }] } as const;

const CASES = UNCHANGED.flatMap(([what, method, below, kinds, init]) =>
  (["patch", "break"] as const)
    .filter((kind) => kinds.includes(kind))
    .flatMap((kind) => RULES[kind].map((rule) => ({ what, method, below, init, rule }))),
);

/** Gives the pet 1 a file of one byte. @returns its path below the sandbox */
async function imageIn(path: string): Promise<string> {
  await send("POST", `${path}/v2/pet/1/uploadImage`, { body: formOf({ file: new Blob(["x"]) }) });
  const { photoUrls } = await getJson<ShownPet>(`${path}/v2/pet/1`);
  return new URL(photoUrls.at(-1) ?? "", "http://petstore.test").pathname.slice(path.length);
}

describe("a rule is not used by a response that it does not change:", () => {
  test.each(CASES)("$rule and $what", async ({ method, below, init = {}, rule }) => {
    const [path, twin] = [await classicSandbox(), await classicSandbox()];
    const at = async (of: string) => of + (below === ":image" ? await imageIn(of) : below);
    const real = await sendUnchecked(await at(twin), method, init);
    const to = await at(path);
    await demand(path, { ...rule, times: 1 });
    const response = await sendUnchecked(to, method, init);
    expect([response.status, await response.text()]).toEqual([real.status, await real.text()]);
    expect(response.headers.has("content-security-policy")).toBe(real.headers.has("content-security-policy"));
    expect(await readUses(path)).toEqual([0]);
    const log = await getJson<object[]>(`${path}/requests?limit=1`);
    expect(log[0]).not.toHaveProperty("rule");
  });

  test("and is available for the next response", async () => {
    const path = await classicSandbox({ operationId: "getPetById", times: 1, patch: { name: null } });
    const { headers } = await sendUnchecked(`${path}/v2/pet/404`);
    expect(headers.has("content-security-policy")).toBe(false);
    expect(await (await sendUnchecked(`${path}/v2/pet/1`)).json()).not.toHaveProperty("name");
    expect(await readUses(path)).toEqual([1]);
    expect(await (await sendUnchecked(`${path}/v2/pet/1`)).json()).toHaveProperty("name");
  });

  test("nor is the next rule used instead", async () => {
    const path = await classicSandbox({ patch: { name: null } }, { status: 503 });
    expect((await sendUnchecked(`${path}/v2/pet/404`)).status).toBe(404);
    expect((await sendUnchecked(`${path}/v2/pet/1`)).status).toBe(200);
    expect(await readUses(path)).toEqual([1, 0]);
  });
});

describe("a rule is used by a response that it changes:", () => {
  const JSON_TYPE = { headers: { "content-type": "application/json" } };

  test.each<[object, string, string, Init?]>([
    [{ patch: { a: 1 } }, "GET", `${LIST}available`],
    // A list without items, whose response is streamed, is two bytes of JSON.
    [{ patch: { a: 1 } }, "GET", "/v2/pet/findByTags?tags=none"],
    [{ break: "json" }, "GET", "/v2/pet/findByTags?tags=none"],
    [{ patch: { a: 1 } }, "DELETE", "/v2/pet/1"],
    [{ break: "json" }, "DELETE", "/api/v3/pet/1"],
    [{ break: "json" }, "GET", "/v2/pet/404"],
    [{ delayMs: 1 }, "HEAD", "/v2/pet/404"],
    [{ headers: { etag: null } }, "GET", "/v2/nowhere"],
    [{ headers: { "x-a": "b" }, patch: { a: 1 } }, "GET", "/v2/pet/404"],
    [{ status: 204, break: "json" }, "GET", "/v2/pet/1"],
    [{ status: 200, body: "x", break: "body", ...JSON_TYPE }, "GET", "/v2/pet/1"],
    [{ status: 503, after: true }, "HEAD", "/v2/pet/404"],
  ])("%j of %s %s", async (rule, method, below, init) => {
    const path = await classicSandbox({ ...rule, times: 1 });
    await sendUnchecked(path + below, method, init);
    expect(await readUses(path)).toEqual([1]);
    const log = await getJson<object[]>(`${path}/requests`);
    expect(log).toMatchObject([{ rule }]);
  });

  test("a body of one byte is sent whole", async () => {
    const path = await classicSandbox({ status: 200, body: "x", break: "body" });
    expect(await (await sendUnchecked(`${path}/v2/pet/1`)).text()).toBe("x");
  });
});

describe("20 requests at once", () => {
  test.each<[object, (response: Response, text: string) => boolean]>([
    [{ status: 503 }, ({ status }) => status === 503],
    [{ status: 503, after: true }, ({ status }) => status === 503],
    [{ patch: { colour: "red" } }, (_, text) => text.includes("red")],
    [{ break: "json" }, (_, text) => !text.endsWith("}")],
    [{ headers: { "x-rule": "yes" } }, ({ headers }) => headers.has("x-rule")],
    [{ delayMs: 5, headers: { "x-rule": "yes" } }, ({ headers }) => headers.has("x-rule")],
  ])("use up %j exactly", async (rule, isChanged) => {
    const path = await classicSandbox({ operationId: "getPetById", times: 7, ...rule });
    const responses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await sendUnchecked(`${path}/v2/pet/1`);
        return { response, text: await response.text() };
      }),
    );
    expect(responses.filter(({ response, text }) => isChanged(response, text))).toHaveLength(7);
    expect(await readUses(path)).toEqual([7]);
  });

  test("count for `every`, whatever their responses", async () => {
    const path = await classicSandbox({ every: 3, operationId: "getPetById", patch: { colour: "red" } });
    const ids = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 1 : 404));
    for (const id of ids) await sendUnchecked(`${path}/v2/pet/${id}`);
    // The third, ninth and fifteenth.
    expect(await readUses(path)).toEqual([3]);
    await demand(path, { every: 2, delayMs: 1 });
    await Promise.all(ids.map(async (id) => sendUnchecked(`${path}/v2/pet/${id}`)));
    expect(await readUses(path)).toEqual([10]);
  });
});

test("a rule that is deleted while a request is in flight does not apply, and does not come back", async () => {
  const path = sandbox();
  await createPet({ id: 1 }, { base: `${path}/v2` });
  await demand(path, { status: 503, after: true }, { status: 500 });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const first = writer.write(new TextEncoder().encode('{"id":2,"name":"Rex",'));
  const headers = { "content-type": "application/json" };
  const response = sendUnchecked(`${path}/v2/pet`, "POST", { body: readable, headers });
  await first;
  await demand(path, { method: "DELETE", status: 502 });
  await writer.write(new TextEncoder().encode('"photoUrls":[]}'));
  await writer.close();
  expect((await response).status).toBe(200);
  expect(await readUses(path)).toEqual([0]);
});

test("Prefer uses no rule, and does not count for `every`", async () => {
  const path = await classicSandbox({ every: 2, status: 500 }, { patch: { name: null }, times: 1 });
  for (const Prefer of ["code=404", "delay=0.01", "code=503, delay=0.01"]) {
    await sendUnchecked(`${path}/v2/pet/1`, "GET", { headers: { Prefer } });
  }
  expect(await readUses(path)).toEqual([0, 0]);
  const statuses = [(await sendUnchecked(`${path}/v2/pet/1`)).status, (await sendUnchecked(`${path}/v2/pet/1`)).status];
  expect([statuses, await readUses(path)]).toEqual([
    [200, 500],
    [1, 1],
  ]);
});
