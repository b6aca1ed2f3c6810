import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { MAX_BYTES_IN_FLIGHT } from "../../src/http/body.ts";
import { MAX_IMAGE_BYTES } from "../../src/pet/contract.ts";
import { send } from "../client.ts";
import { basePath } from "../engine.ts";
import { captureFaults, createPet, expectUnavailable } from "../fixtures.ts";

/** Begins an upload of 5 MiB and sends its first byte. */
function hold(path: string) {
  const { readable, writable } = new FixedLengthStream(MAX_IMAGE_BYTES);
  const writer = writable.getWriter();
  const begun = writer.write(new Uint8Array(1));
  const answer = exports.default.fetch(`http://petstore.test${basePath}${path}/uploadImage`, {
    method: "POST",
    headers: { "Content-Type": "multipart/form-data; boundary=b" },
    body: readable,
  });
  return { begun, answer, end: async () => writer.abort(new Error("the client has gone")) };
}

test("uploads that stay unfinished leave memory for the others: the next is 503 §2.3.5 §API4", async () => {
  captureFaults();
  const { path } = await createPet();
  const most = Math.floor(MAX_BYTES_IN_FLIGHT / MAX_IMAGE_BYTES);
  const held = Array.from({ length: most }, () => hold(path));
  await Promise.all(held.map(async ({ begun }) => begun));
  const upload = async () =>
    send("POST", `${path}/uploadImage`, {
      body: new Uint8Array(MAX_IMAGE_BYTES),
      headers: { "Content-Type": "multipart/form-data; boundary=b" },
    });
  expectUnavailable(await upload());
  expect((await send("GET", path)).status).toBe(200);
  await Promise.all(held.map(async ({ end }) => end()));
  await Promise.allSettled(held.map(async ({ answer }) => answer));
  // A body without parts.
  expect((await upload()).status).toBe(400);
});
