import { expect, test } from "vitest";
import { sandbox, send } from "../client.ts";
import { REQUESTS, exchange } from "./requests.ts";

/** D1's bookmark, and `Vary`, which names `Prefer` in sandboxes. */
const ownHeaders = { "x-d1-bookmark": undefined, vary: undefined };

test("a sandbox returns the same responses as the shared database, except for its path", async () => {
  const [ofWorker, ofSandbox] = [
    await exchange(REQUESTS, "", "http://petstore.test", send),
    await exchange(REQUESTS, sandbox(), "http://petstore.test", send),
  ];
  for (const [index, response] of ofWorker.entries()) {
    const { headers, ...same } = response;
    expect(ofSandbox[index]).toMatchObject(same);
    expect({ ...ofSandbox[index]?.headers, ...ownHeaders }).toEqual({ ...headers, ...ownHeaders });
  }
  expect(new Set(ofWorker.map(({ status }) => status))).toEqual(
    new Set([200, 204, 206, 304, 400, 404, 405, 409, 412, 422]),
  );
});
