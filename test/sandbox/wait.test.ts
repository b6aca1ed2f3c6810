import { describe, expect, test } from "vitest";
import { sandbox, send } from "../client.ts";
import { classicSandbox } from "./sandboxes.ts";

interface Logged {
  readonly id: number;
  readonly path: string;
}

/** Begins to wait for a request. The sandbox has it when this returns. */
async function begin(path: string, query: string) {
  const response = send("GET", `${path}/requests?wait=30${query}`);
  // A later request to the same Durable Object is handled later.
  await send("GET", path);
  return async () => (await response).json<Logged[]>();
}

describe("a client that waits for a request", () => {
  test("gets it as soon as it is logged", async () => {
    const path = await classicSandbox();
    const end = await begin(path, "");
    await send("GET", `${path}/api/v3/pet/1`);
    expect(await end()).toMatchObject([{ path: "/api/v3/pet/1", status: 200 }]);
  });

  test("gets at once what is logged already", async () => {
    const path = await classicSandbox();
    for (const id of [1, 2]) await send("GET", `${path}/v2/pet/${id}`);
    const response = await send("GET", `${path}/requests?wait=30&limit=1`);
    expect(await response.json()).toMatchObject([{ path: "/v2/pet/2" }]);
  });

  test("gets only what passes every filter", async () => {
    const path = await classicSandbox();
    await send("GET", `${path}/v2/pet/404`);
    const [first] = await (await send("GET", `${path}/requests`)).json<Logged[]>();
    const end = await begin(path, `&after=${first?.id}&operationId=getPetById&status=4xx`);
    for (const below of ["/v2/pet/1", "/v2/store/order/5", "/v2/pet/405", "/v2/pet/1"]) await send("GET", path + below);
    expect(await end()).toMatchObject([{ path: "/v2/pet/405" }]);
  });

  test.each(["wait=1", "wait=0", "wait=1&status=503", "operationId=addPet&wait=1"])(
    "gets an empty list when the time is up: %s",
    async (query) => {
      const path = await classicSandbox();
      expect(await (await send("GET", `${path}/requests?${query}`)).json()).toEqual([]);
    },
  );

  test("is one of many", async () => {
    const path = await classicSandbox();
    const ends: (() => Promise<Logged[]>)[] = [];
    for (let id = 1; id <= 20; id++) ends.push(await begin(path, `&status=${id % 2 === 0 ? 404 : 200}`));
    await send("GET", `${path}/v2/pet/1`);
    await send("GET", `${path}/v2/pet/404`);
    const lists = await Promise.all(ends.map(async (end) => end()));
    expect(lists.map((list) => list.map((each) => each.path))).toEqual(
      lists.map((_, at) => [at % 2 === 0 ? "/v2/pet/1" : "/v2/pet/404"]),
    );
  });

  test("gets 404 when the sandbox is deleted", async () => {
    const path = await classicSandbox();
    const response = send("GET", `${path}/requests?wait=30`);
    await send("GET", path);
    await send("DELETE", path);
    expect((await response).status).toBe(404);
  });

  test("gets 404 for a sandbox that does not exist, and does not create it", async () => {
    const path = sandbox();
    expect((await send("GET", `${path}/requests?wait=30`)).status).toBe(404);
    expect((await send("GET", path)).status).toBe(404);
  });

  test.each(["31", "-1", "1.5", "", "a", "001", "30&wait=30"])("gets 400 for the time %j", async (wait) => {
    const path = await classicSandbox();
    const response = await send("GET", `${path}/requests?wait=${wait}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ path: "wait" }] });
  });
});
