import { afterEach, expect, test, vi } from "vitest";
import { sandbox, send } from "../client.ts";

let steps = 0;

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Makes a built-in method count the items or characters that it examines. */
function count(prototype: object, name: string, cost: (subject: never, values: unknown[], result: unknown) => number) {
  const original = Reflect.get(prototype, name) as Method;
  vi.spyOn(prototype as Record<string, Method>, name).mockImplementation(function call(this: unknown, ...values) {
    const result = Reflect.apply(original, this, values);
    steps += cost(this as never, values, result);
    return result;
  });
}

/** Returns how many items or characters a search examined. */
const searched = (subject: { length: number }, [, from = 0]: unknown[], result: unknown) =>
  (Number(result) < 0 ? subject.length : Number(result)) - Number(from);

/** Counts the steps of built-in search methods, because each contains a loop. */
function countSteps(): void {
  steps = 0;
  count(String.prototype, "indexOf", searched);
  count(Array.prototype, "indexOf", searched);
  for (const name of ["includes", "find", "findIndex", "some", "every", "filter", "splice"]) {
    count(Array.prototype, name, (items: unknown[]) => items.length);
  }
  for (const name of ["get", "getAll", "has", "delete"]) {
    count(URLSearchParams.prototype, name, (params: URLSearchParams) => params.size);
  }
}

afterEach(() => {
  vi.restoreAllMocks();
});

const user = (at: number) => ({ id: at, username: `user ${at}` });

const REQUESTS: Readonly<Record<string, (path: string, size: number) => Promise<Response>>> = {
  "a preference with a lot of white space": async (path, size) =>
    send("GET", `${path}/v2/store/inventory`, { headers: { Prefer: `code${" ".repeat(size)}x` } }),
  "many preferences": async (path, size) =>
    send("GET", `${path}/v2/store/inventory`, { headers: { Prefer: "a;b=c,".repeat(size) } }),
  "many quotes in a preference": async (path, size) =>
    send("GET", `${path}/v2/store/inventory`, { headers: { Prefer: `a="${'\\"'.repeat(size)}` } }),
  "many equal parameters of the request log": async (path, size) =>
    send("GET", `${path}/requests?${"after=1&".repeat(size)}`),
  "many parameters without a value": async (path, size) =>
    send("GET", `${path}/v2/pet/findByTags?${"a&".repeat(size)}`),
  "many different parameters": async (path, size) =>
    send("GET", `${path}/v2/pet/findByTags?tags=a&${Array.from({ length: size }, (_, at) => `a${at}=b&`).join("")}`),
  "many tags in If-Match": async (path, size) =>
    send("DELETE", `${path}/v2/pet/1`, { headers: { "If-Match": '"1", '.repeat(size) } }),
  "many cookies": async (path, size) =>
    send("GET", `${path}/v2/user/logout`, { headers: { Cookie: "session=a; ".repeat(size) } }),
  "many media types": async (path, size) =>
    send("POST", `${path}/v2/pet`, { body: "{}", headers: { "Content-Type": "application/json,".repeat(size) } }),
  "a preflight for many headers": async (path, size) => {
    const headers = { "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "a, ".repeat(size) };
    return send("OPTIONS", `${path}/v2/pet/1`, { headers });
  },
  "a long path": async (path, size) => send("GET", `${path}/v2/user/${"%41".repeat(size)}`),
  "many segments": async (path, size) => send("GET", `${path}/v2/${"a/".repeat(size)}`),
  "many users in a sandbox's data": async (path, size) =>
    send("PUT", `${path}/data`, { json: { users: Array.from({ length: size / 4 }, (_, at) => user(at + 1)) } }),
  "many users with the same ID in a sandbox's data": async (path, size) =>
    send("PUT", `${path}/data`, { json: { users: Array.from({ length: size / 4 }, () => user(1)) } }),
  "many users in one request": async (path, size) =>
    send("POST", `${path}/v2/user/createWithList`, {
      json: Array.from({ length: size / 40 }, (_, at) => user(at + 1)),
    }),
};

test.each(Object.keys(REQUESTS))("the number of steps grows linearly with the size: %s", async (name) => {
  const stepsOf = async (size: number) => {
    const path = sandbox();
    await send("GET", `${path}/v2/store/inventory`);
    countSteps();
    await REQUESTS[name]?.(path, size);
    vi.restoreAllMocks();
    return steps;
  };
  const [small, large] = [await stepsOf(500), await stepsOf(4000)];
  expect(large / small).toBeLessThan(12);
});
