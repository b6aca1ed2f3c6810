import { once } from "node:events";
import { request as send } from "node:http";
import { text } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";
import { expect, type Page } from "@playwright/test";
import { copied, runCurl, test } from "./page.ts";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const json = { "Content-Type": "application/json" };
const boundary = "the-boundary";
const multipart = [
  `--${boundary}`,
  'Content-Disposition: form-data; name="file"; filename="it\'s.txt"',
  "",
  "a\tb",
  `--${boundary}--`,
  "",
].join("\r\n");

/** Requests that can be repeated with the same result. */
const REQUESTS: Readonly<Record<string, Sent>> = {
  "no content type": { method: "POST", path: "/v2/pet", body: '{"id":101,"name":"Rex","photoUrls":[]}' },
  "an empty header": { method: "GET", path: "/v2/pet/1", headers: { "x-a": "", accept: "application/json" } },
  "quotes, $, line breaks and emoji": {
    method: "POST",
    path: "/api/v3/pet",
    headers: json,
    body: `{"id":102,\n\n"name":"It's \\"$HOME\\" \`id\` $(id) \\\\ ! 🐕",\r\n\t"photoUrls":[]}\n`,
  },
  "brackets in the query": { method: "GET", path: "/v2/pet/findByStatus?status[0]=sold&x={a,b}'" },
  "a masked credential": {
    method: "DELETE",
    path: "/v2/store/order/3",
    headers: { api_key: "the key", cookie: "a=b" },
  },
  "a form": {
    method: "POST",
    path: "/v2/pet/2",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "name=It%27s&status=pending",
  },
  "an upload": {
    method: "POST",
    path: "/v2/pet/3/uploadImage",
    headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
    body: multipart,
  },
  "malformed JSON with a control character": {
    method: "PUT",
    path: "/v2/pet",
    headers: json,
    body: '{"id":\u001B[201~1',
  },
  "a query with a password": { method: "GET", path: "/v2/user/login?username=nobody&password=a%26b'c" },
  "another media type": {
    method: "POST",
    path: "/v2/store/order",
    headers: { "Content-Type": "text/plain" },
    body: "@x",
  },
  HEAD: { method: "HEAD", path: "/v2/pet/1" },
};

/** Sends exactly these headers, in addition to those of the connection. */
async function sendTo(url: string, { method, path, headers = {}, body = "" }: Sent) {
  const length = body === "" ? {} : { "Content-Length": Buffer.byteLength(body) };
  const sent = send(url + path, { method, headers: { ...headers, ...length } });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

/** Opens a request by its URL, because the list moves while requests arrive. */
async function copyRequest(page: Page, id: number): Promise<string> {
  await page.evaluate((hash) => (location.hash = hash), `#${id}`);
  await expect(page.locator(`#rows [href="#${id}"]`)).toHaveAttribute("aria-current", "true");
  return copied(page, async () => page.getByRole("button", { name: "Copy as curl" }).click());
}

test("copies each request as a curl command that repeats it", async ({ page, sandbox }) => {
  const originals = [];
  for (const sent of Object.values(REQUESTS)) originals.push(await sendTo(sandbox.url, sent));
  await page.goto(`${sandbox.url}/`);
  for (const [index, [words, { method }]] of Object.entries(REQUESTS).entries()) {
    const command = await copyRequest(page, index + 1);
    expect(command, words).not.toMatch(/-H '(?:user-agent|connection|content-length|host|accept: \*)/i);
    const repeated = await runCurl(command);
    expect(repeated.status, `${words}: ${command}`).toBe(originals[index]?.status);
    // For HEAD, curl prints the headers.
    if (method !== "HEAD") expect(repeated.body, `${words}: ${command}`).toBe(originals[index]?.body);
  }
  expect(originals.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 200, 200, 405, 400, 415, 200]);
});

test("says in a copied command what the request log does not have", async ({ page, sandbox }) => {
  const long = JSON.stringify({ id: 1000, name: "é".repeat(4096), photoUrls: ["x".repeat(2000)] });
  for (const sent of [
    { method: "GET", path: "/v2/pet/1", headers: { "X-API-Key": "the key", authorization: "Bearer x" } },
    { method: "POST", path: "/v2/pet", headers: json, body: long },
    {
      method: "POST",
      path: "/api/v3/pet/1/uploadImage",
      headers: { "Content-Type": "application/octet-stream" },
      body: Buffer.from([0, 255, 0]),
    },
  ]) {
    expect((await sendTo(sandbox.url, sent)).status).toBe(200);
  }
  await page.goto(`${sandbox.url}/`);
  const commands = [];
  for (const id of [1, 2, 3]) commands.push(await copyRequest(page, id));
  const [credentials = "", cut = "", missing = ""] = commands;
  expect(credentials).toContain("# The request log hides this credential: replace YOUR-X-API-KEY.");
  expect(credentials).toContain("-H 'authorization: YOUR-AUTHORIZATION'");
  expect(credentials).not.toContain("***");
  // Without half a character at its end.
  expect(cut).toContain(`# The body is cut: the request log has the first 8191 of ${Buffer.byteLength(long)} bytes.`);
  expect(missing).toContain(
    "# The body is missing: the request log has none of its 3 bytes (application/octet-stream).",
  );
  // A shell can run each command.
  for (const command of commands) expect((await runCurl(command)).status).toBeLessThan(500);
});

test("shows the text to copy where the browser does not let a page copy, as on plain http", async ({
  page,
  sandbox,
}) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await page.goto(`${sandbox.url}/`);
  await page.getByRole("button", { name: "Copy the base URL" }).click();
  const shown = page.getByRole("textbox", { name: "Text to copy" });
  await expect(shown).toBeFocused();
  await expect(shown).toHaveValue(`${sandbox.url}/v2`);
  expect(await shown.evaluate((field: HTMLTextAreaElement) => field.selectionEnd - field.selectionStart)).toBe(
    `${sandbox.url}/v2`.length,
  );
  await page.getByRole("button", { name: "Done", exact: true }).click();
});
