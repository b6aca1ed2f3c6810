import { expect, test } from "vitest";
import { send } from "./client.ts";
import { MISSING, REQUESTS, exchange, operations, prepare } from "./operations.ts";

test("every operation has one request that the tables of the tests begin with", () => {
  expect(Object.keys(REQUESTS).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

test.each(operations)("the request of $id succeeds as it stands", async ({ id }) => {
  const { request } = await prepare(id);
  expect((await exchange(send, request)).status).toBe(200);
});

test.each(operations)(
  "the request of $id fails where what it is about is missing",
  async ({ id }) => {
    const { of, request } = await prepare(id, { makers: MISSING });
    const isAboutNothing = of.path === "";
    const status = isAboutNothing ? 200 : id === "loginUser" ? 400 : 404;
    expect((await exchange(send, request)).status).toBe(status);
  },
);
