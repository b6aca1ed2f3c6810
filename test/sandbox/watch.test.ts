import { afterEach, describe, expect, test } from "vitest";
import { logIn, sandbox, send } from "../client.ts";
import { classicSandbox } from "./sandboxes.ts";

const sockets: WebSocket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

const upgrade = async (path: string, Origin = "http://petstore.test") => {
  const headers = { Upgrade: "websocket", Origin };
  return send("GET", `${path}/requests`, { headers, documented: false });
};

/** Watches a sandbox. @returns what comes, which grows, and the code with which the socket closes */
async function watch(path: string) {
  const { webSocket } = await upgrade(path);
  if (!webSocket) throw new Error("there is no socket");
  const seen: { messages: unknown[]; closed?: number } = { messages: [] };
  webSocket.addEventListener("message", ({ data }) => {
    seen.messages.push(JSON.parse(String(data)));
  });
  webSocket.addEventListener("close", ({ code }) => {
    seen.closed = code;
  });
  webSocket.accept();
  sockets.push(webSocket);
  return seen;
}

describe("a WebSocket", () => {
  test("gets each request as it is logged", async () => {
    const path = await classicSandbox();
    const [one, other] = [await watch(path), await watch(path)];
    await logIn({ username: "user1", password: "XXXXXXXXXXX" }, { base: `${path}/v2` });
    await send("PUT", `${path}/faults`, { json: [] });
    await send("GET", `${path}/api/v3/pet/1`);
    for (const { messages } of [one, other]) {
      await expect.poll(() => messages).toHaveLength(2);
      const record = await (await send("GET", `${path}/requests`)).json<object[]>();
      expect(messages).toEqual(record.toReversed());
      expect(messages).toMatchObject([{ responseHeaders: { "set-cookie": "***" } }, { operationId: "getPetById" }]);
    }
  });

  test("closes when its sandbox is deleted", async () => {
    const path = await classicSandbox();
    const seen = await watch(path);
    await send("DELETE", path);
    await expect.poll(() => seen.closed).toBeTypeOf("number");
  });

  test.each([1000, 4001])("responses a Close frame with the code %i", async (code) => {
    const path = await classicSandbox();
    const seen = await watch(path);
    sockets.at(-1)?.close(code, "done");
    await expect.poll(() => seen.closed).toBe(code);
    await send("GET", `${path}/v2/pet/1`);
    expect(seen.messages).toEqual([]);
  });

  test("cannot watch a sandbox that does not exist, and does not create it", async () => {
    const path = sandbox();
    expect((await upgrade(path)).status).toBe(404);
    expect((await send("GET", path)).status).toBe(404);
  });

  test.each(["https://evil.example", "http://petstore.test:8080", "null"])(
    "is rejected for a page of %s",
    async (origin) => {
      expect((await upgrade(await classicSandbox(), origin)).status).toBe(403);
    },
  );
});
