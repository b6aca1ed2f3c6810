import { afterEach, describe, expect, test } from "vitest";
import { createUser, logIn, sandbox, send } from "../client.ts";

const sockets: WebSocket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

const upgrade = async (path: string, headers: Record<string, string> = {}) =>
  send("GET", `${path}/requests`, { headers: { Upgrade: "websocket", ...headers } });

/** Watches a sandbox. @returns what comes, which grows, and the code with which the socket closes */
async function watch(path: string) {
  const { webSocket } = await upgrade(path, { Origin: "http://petstore.test" });
  if (!webSocket) throw new Error("there is no socket");
  const seen: { messages: Record<string, unknown>[]; closed?: number } = { messages: [] };
  webSocket.addEventListener("message", ({ data }) => {
    seen.messages.push(JSON.parse(String(data)) as Record<string, unknown>);
  });
  webSocket.addEventListener("close", ({ code }) => {
    seen.closed = code;
  });
  webSocket.accept();
  sockets.push(webSocket);
  return seen;
}

async function newSandbox(): Promise<string> {
  const path = sandbox();
  await send("PUT", `${path}/data`, { json: { data: "empty" } });
  return path;
}

describe("a WebSocket", () => {
  test("gets each request as it is recorded", async () => {
    const path = await newSandbox();
    const [one, other] = [await watch(path), await watch(path)];
    await send("GET", `${path}/v2/pet/1`);
    await send("PUT", `${path}/faults`, { json: [{ status: 503 }] });
    await send("GET", `${path}/api/v3/store/inventory`);
    for (const { messages } of [one, other]) {
      await expect.poll(() => messages).toHaveLength(2);
      expect(messages).toEqual(
        (await (await send("GET", `${path}/requests`)).json<object[]>()).toReversed(),
      );
    }
  });

  test("gets no secret", async () => {
    const path = await newSandbox();
    await createUser({ username: "ada", password: "s3cret" }, { base: `${path}/v2` });
    const { messages } = await watch(path);
    const token = await logIn({ username: "ada", password: "s3cret" }, { base: `${path}/v2` });
    await expect.poll(() => JSON.stringify(messages)).toContain("loginUser");
    expect(JSON.stringify(messages)).not.toMatch(new RegExp(`s3cret|${token}`));
  });

  test("ends with its sandbox", async () => {
    const path = await newSandbox();
    const seen = await watch(path);
    await send("DELETE", path);
    await expect.poll(() => seen.closed).toBeTypeOf("number");
  });

  test("cannot watch a sandbox that does not exist", async () => {
    const path = sandbox();
    expect((await upgrade(path)).status).toBe(404);
    expect((await send("GET", path)).status).toBe(404);
  });

  test.each(["https://evil.example", "http://petstore.test:8080", "null"])(
    "is refused to a page of %s",
    async (Origin) => {
      expect((await upgrade(await newSandbox(), { Origin })).status).toBe(403);
    },
  );
});
