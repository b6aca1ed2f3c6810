import { describe, expect, test } from "vitest";
import { getJson, send, type Init } from "../client.ts";
import { classicSandbox, demand, readRules, readUses, sendUnchecked } from "./sandboxes.ts";

const REX = { name: "Rex", photoUrls: ["a"], category: { id: 1, name: "Dogs" }, tags: [{ id: 1, name: "b" }] };

/** Sends a pet to both APIs. @returns whether the rule of the sandbox applies */
async function appliesTo(match: object, init: Init): Promise<boolean> {
  const path = await classicSandbox({ match, operationId: "addPet", status: 418 });
  const statuses: number[] = [];
  for (const base of ["/v2", "/api/v3"])
    statuses.push((await sendUnchecked(`${path}${base}/pet`, "POST", init)).status);
  const [first, second] = statuses.map((status) => status === 418);
  expect(first).toBe(second);
  return first === true;
}

describe("a rule matches the query of a request", () => {
  test.each<[object, string, boolean]>([
    [{ status: "sold" }, "?status=sold", true],
    [{ status: "sold" }, "?status=available&status=sold", true],
    [{ status: "sold" }, "?st%61tus=s%6Fld", true],
    [{ "a b": "c d" }, "?a+b=c%20d", true],
    [{ status: "" }, "?status", true],
    [{ constructor: "1" }, "?constructor=1", true],
    [{ __proto__x: null, status: null }, "?other=1", true],
    [{}, "?status=sold", true],
    [{ status: "sold" }, "?status=available", false],
    [{ status: "sold" }, "?status=SOLD", false],
    [{ status: "sold" }, "?status[]=sold", false],
    [{ status: "sold" }, "", false],
    [{ status: null }, "?status", false],
    [{ status: "sold", a: "b" }, "?status=sold", false],
  ])("%j, %j: %s", async (query, sent, applies) => {
    const path = await classicSandbox({ match: { query }, status: 418 });
    for (const base of ["/v2", "/api/v3"]) {
      const { status } = await sendUnchecked(`${path}${base}/pet/findByStatus${sent}`);
      expect(status === 418).toBe(applies);
    }
  });
});

describe("a rule matches the headers of a request", () => {
  test.each<[object, Record<string, string>, boolean]>([
    [{ "X-A": "b" }, { "x-a": "b" }, true],
    [{ "x-a": "b, c" }, { "X-A": "b, c" }, true],
    [{ "idempotency-key": null }, {}, true],
    [{ authorization: "Bearer t" }, { Authorization: "Bearer t" }, true],
    [{ "x-a": "b" }, { "x-a": "B" }, false],
    [{ "x-a": "b" }, { "x-a": "b, c" }, false],
    [{ "x-a": "b" }, {}, false],
    [{ "idempotency-key": null }, { "Idempotency-Key": "1" }, false],
  ])("%j, %j: %s", async (match, headers, applies) => {
    expect(await appliesTo({ headers: match }, { json: REX, headers })).toBe(applies);
  });

  test("and repeated headers count as one", async () => {
    const headers = new Headers([
      ["x-a", "b"],
      ["x-a", "c"],
    ]);
    expect(await appliesTo({ headers: { "x-a": "b, c" } }, { json: REX, headers })).toBe(true);
  });
});

describe("a rule matches the JSON body of a request", () => {
  test.each<[unknown, unknown, boolean]>([
    [{ name: "Rex" }, REX, true],
    [{ category: { name: "Dogs" } }, REX, true],
    [{ category: {} }, REX, true],
    [{ tags: [{ name: "b", id: 1 }] }, REX, true],
    [{ photoUrls: ["a"] }, REX, true],
    [{ status: null }, { ...REX, status: null }, true],
    [{}, REX, true],
    [{ constructor: 1 }, { constructor: 1 }, true],
    [[1, { a: [2] }], [1, { a: [2] }], true],
    ["x", "x", true],
    [null, null, true],
    [{ name: "Max" }, REX, false],
    [{ name: "Rex", status: "sold" }, REX, false],
    [{ category: { name: "Dogs", other: 1 } }, REX, false],
    [{ tags: [{ id: 1 }] }, REX, false],
    [{ photoUrls: [] }, REX, false],
    [{ photoUrls: ["a", "b"] }, REX, false],
    [{ photoUrls: { 0: "a" } }, REX, false],
    [{ status: null }, REX, false],
    [{ category: null }, REX, false],
    [{ constructor: {} }, REX, false],
    [{ id: 1 }, { id: "1" }, false],
    [[1], [1, 2], false],
  ])("%j in %j: %s", async (body, json, applies) => {
    expect(await appliesTo({ body }, { json })).toBe(applies);
  });

  test.each<[string, Init, boolean]>([
    [
      "the body has a byte order mark",
      { body: `\ufeff${JSON.stringify(REX)}`, headers: { "Content-Type": "application/json" } },
      true,
    ],
    ["the body has no media type", { body: new Blob([JSON.stringify(REX)]) }, true],
    ["the body is malformed", { body: '{"name":"Rex"', headers: { "Content-Type": "application/json" } }, false],
    ["the body is empty", {}, false],
    ["the body is text", { body: JSON.stringify(REX), headers: { "Content-Type": "text/plain" } }, false],
    [
      "the body claims to be compressed",
      { body: JSON.stringify(REX), headers: { "Content-Type": "application/json", "Content-Encoding": "gzip" } },
      false,
    ],
    ["the body is too large", { json: { ...REX, x: "y".repeat(20_000) } }, false],
  ])("if %s: %s", async (_, init, applies) => {
    expect(await appliesTo({ body: { name: "Rex" } }, init)).toBe(applies);
  });

  test("but only of an operation with a JSON body", async () => {
    const path = await classicSandbox({ match: { body: { name: "Rex" } }, status: 418 });
    expect((await sendUnchecked(`${path}/v2/pet/1`, "DELETE", { json: REX })).status).toBe(200);
    expect((await sendUnchecked(`${path}/v2/nowhere`, "POST", { json: REX })).status).toBe(404);
    expect((await sendUnchecked(`${path}/v2/store/order`, "POST", { json: { name: "Rex" } })).status).toBe(418);
  });
});

test("a body that a rule compared reaches the handler and the request log unchanged", async () => {
  const path = await classicSandbox({ match: { body: { name: "Max" } }, status: 418 });
  const chunks = () => new Blob([JSON.stringify(REX)], { type: "application/json" }).stream();
  const headers = { "Content-Type": "application/json" };
  const large = JSON.stringify({ ...REX, name: "x".repeat(20_000) });
  for (const base of ["/v2", "/api/v3"]) {
    expect(await (await send("POST", `${path}${base}/pet`, { json: REX })).json()).toMatchObject(REX);
    const streamed = await send("POST", `${path}${base}/pet`, { body: chunks(), headers });
    expect(await streamed.json()).toMatchObject(REX);
    for (const body of [large, new Blob([large]).stream()]) {
      expect((await sendUnchecked(`${path}${base}/pet`, "POST", { body, headers })).status).toBe(413);
    }
  }
  const log = await getJson<{ requestBody: string }[]>(`${path}/requests`);
  expect(log.map(({ requestBody }) => requestBody.slice(0, 8))).toEqual(log.map(() => '{"name":'));
  expect(log.filter(({ requestBody }) => requestBody === JSON.stringify(REX))).toHaveLength(4);
});

test("`times` and `every` count only the requests that a rule matches", async () => {
  const rex = { match: { body: { name: "Rex" } } };
  const path = await classicSandbox({ ...rex, every: 2, status: 418 }, { ...rex, times: 1, status: 409 });
  const statuses: number[] = [];
  for (const name of ["Max", "Rex", "Max", "Rex", "Rex", "Rex"]) {
    statuses.push((await sendUnchecked(`${path}/v2/pet`, "POST", { json: { ...REX, name } })).status);
  }
  expect(statuses).toEqual([200, 409, 200, 418, 200, 418]);
});

test("a rule for credentials shows them among the rules, and `***` in the request log", async () => {
  const match = { headers: { Authorization: "Bearer secret", "X-Other": "shown", Cookie: null } };
  const path = await classicSandbox({ match, status: 418 });
  await sendUnchecked(`${path}/v2/pet/1`, "GET", { headers: { Authorization: "Bearer secret", "X-Other": "shown" } });
  expect(await readRules(path)).toMatchObject([{ match, used: 1 }]);
  const masked = { headers: { Authorization: "***", "X-Other": "shown", Cookie: null } };
  expect(await getJson(`${path}/requests`)).toMatchObject([{ rule: { match: masked } }]);
});

test("20 requests at once use up a rule for a body exactly", async () => {
  const path = await classicSandbox();
  for (const effect of [{ status: 418 }, { status: 418, after: true }]) {
    await demand(path, { match: { body: { name: "Rex" } }, times: 7, ...effect });
    const responses = await Promise.all(
      Array.from({ length: 20 }, async () => sendUnchecked(`${path}/v2/pet`, "POST", { json: REX })),
    );
    expect(responses.filter(({ status }) => status === 418)).toHaveLength(7);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(13);
    expect(await readUses(path)).toEqual([7]);
  }
});
