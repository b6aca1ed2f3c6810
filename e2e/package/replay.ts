// Downloads the recorded requests as a test and as a shell script, and runs both.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { imageForm } from "../http.ts";
import { run } from "../../scripts/programs.ts";

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly requestBody?: unknown;
  readonly requestHeaders: Readonly<Record<string, string>>;
}

/** Characters that a shell or JavaScript could misread. */
const NAME = `it's "$HOME" \`id\` \\ \n % ö \u2028 </script>`;

const typed = { "Content-Type": "application/json" };

/** Sends requests of every kind. The upload is binary, so it cannot be repeated. */
async function use(store: string): Promise<void> {
  const send = async (method: string, path: string, init: RequestInit = {}, base = "/v2") => {
    const answer = await fetch(store + base + path, { method, ...init });
    await answer.arrayBuffer().catch(() => undefined);
  };
  const post = async (path: string, body: string, headers: Record<string, string> = typed) =>
    send("POST", path, { headers, body: new TextEncoder().encode(body) });
  const rules = [
    { operationId: "getInventory", every: 2, status: 503 },
    { operationId: "findPetsByTags", chance: 0.5, seed: 1, delayMs: [1, 5], status: 503 },
    { method: "GET", path: "/pet/{petId}", break: "body" },
    { operationId: "deletePet", status: 500, body: "<p>down", after: true },
  ];
  await fetch(`${store}/data`, { method: "PUT", headers: typed, body: `{"data":"classic"}` });
  await fetch(`${store}/faults`, { method: "PUT", headers: typed, body: JSON.stringify(rules) });
  await post("/pet", JSON.stringify({ name: NAME, photoUrls: [] }));
  await post("/pet", "@/etc/passwd", { ...typed, "X-Empty": "", "X-Quoted": `it's "$HOME"` });
  await post("/pet", JSON.stringify({ name: "no type", photoUrls: [] }), {});
  await post("/pet/3", "name=N%26%3D+%C3%B6", {
    "Content-Type": "application/x-www-form-urlencoded",
  });
  await send("POST", "/pet/3?name=N%26%3D+%C3%B6", {}, "/api/v3");
  await send("GET", "/pet/findByStatus?status=available&a=[1-3]{b,c}&d=%27%22%20$e&f=\\");
  for (let sent = 0; sent < 8; sent++) await send("GET", "/pet/findByTags?tags=tag1");
  await send("GET", "/user/a%20b%2Fc%25%0A'%C3%B6");
  await send("HEAD", "/pet/1");
  await send("PATCH", "/pet/1", { body: "{}" });
  for (const path of ["/store/inventory", "/store/inventory", "/pet/4"]) await send("GET", path);
  await send("DELETE", "/pet/4", { headers: { api_key: "special" } });
  await send("GET", "/pet/4", { headers: { Prefer: "code=429" } });
  await send("GET", "/pet/5", { headers: { "If-None-Match": "*" } });
  await post("/pet", JSON.stringify({ name: "x".repeat(20_000), photoUrls: [] }));
  await send("POST", "/pet/5/uploadImage", { body: imageForm() });
}

const requestsTo = async (store: string): Promise<readonly Recorded[]> => {
  const requests = (await (await fetch(`${store}/requests`)).json()) as Recorded[];
  return requests.toReversed();
};

/** What a repeated request must have in common with the first. The files escape more of a query than a client does. */
const factsOf = ({ method, path, query, requestBody, requestHeaders: headers }: Recorded) => ({
  target: [method, path, decodeURIComponent(query)],
  requestBody,
  headers: ["content-type", "x-empty", "x-quoted"].map((name) => headers[name]),
});

/** @param examples folder with Vitest and the package @param stores two stores of one server */
export async function testReplay(examples: string, [store, other]: [string, string]) {
  await use(store);
  const download = async (format: string, file: string) => {
    const answer = await fetch(`${store}/requests?format=${format}`);
    assert.equal(answer.headers.get("Content-Disposition"), `attachment; filename="${file}"`);
    writeFileSync(join(examples, file), await answer.text());
  };
  // Does not block: meanwhile the server closes idle connections, which the next request must not use.
  const repeat = async (...[program, ...args]: [string, ...string[]]) => {
    const { status, stdout, stderr } = await run(program, args, { folder: examples });
    assert.equal(status, 0, stdout + stderr);
  };
  await download("test", "requests.test.js");
  const limits = ["--hookTimeout=300000", "--testTimeout=300000"];
  await repeat("npx", "vitest", "run", "requests.test.js", ...limits);
  await download("curl", "requests.sh");
  await fetch(`${other}/data`, { method: "PUT", headers: typed, body: `{"data":"classic"}` });
  await repeat("sh", "requests.sh", other);
  const sent = (await requestsTo(store)).filter(
    ({ requestBody }) => typeof requestBody !== "object",
  );
  const again = await requestsTo(other);
  assert.deepEqual(again.map(factsOf), sent.map(factsOf));
}
