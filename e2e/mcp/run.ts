// Lets the official clients of MCP use a sandbox: every tool, and the faults in the tables of docs/mcp.md. Then the official
// conformance tests check the protocol.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { ROOT, send, startPackage, succeed, temporaryFolder } from "../server.ts";
import { CLIENTS, describeOutcome, type McpClient } from "./clients.ts";

interface Media {
  readonly examples?: { readonly example: { readonly value: unknown } };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
}

const HERE = import.meta.dirname;
await succeed(["tsc", "-p", HERE]);
const { program, origin } = await startPackage(["--empty"]);
after(async () => program.stop());

/** Creates a sandbox with the classic data. @returns its URL */
async function createSandbox(): Promise<string> {
  const url = `${origin}/sandboxes/${randomUUID()}`;
  equal((await send("PUT", `${url}/data`, { data: "classic" })).status, 204);
  return url;
}

/** Connects a client during a callback. */
async function withClient<T>(name: string, url: string, use: (client: McpClient) => Promise<T>): Promise<T> {
  const client = await CLIENTS[name]?.(url);
  ok(client);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Returns the operations in the order of the document, in which all examples succeed. */
async function readOperations(): Promise<readonly Operation[]> {
  const document = (await (await fetch(`${origin}/v2/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  return Object.values(document.paths).flatMap((methods) => Object.values(methods));
}

const FILE = Buffer.from("any file").toString("base64");

/** Returns the arguments of a tool from the examples of the document. */
function argumentsOf({ operationId, parameters = [], requestBody }: Operation): Record<string, unknown> {
  const sent = parameters.filter((each) => each.in !== "header").map(({ name, example }) => [name, example]);
  const { content = {} } = requestBody ?? {};
  const [media] = Object.values(content);
  const body = operationId === "uploadFile" ? { file: FILE } : media?.examples?.example.value;
  return { ...Object.fromEntries(sent), ...(requestBody && { body }) } as Record<string, unknown>;
}

const operations = await readOperations();

for (const name of Object.keys(CLIENTS)) {
  describe(`client ${name}`, () => {
    test("lists the operations as tools", async () => {
      const { tools } = await withClient(name, `${await createSandbox()}/mcp`, async (client) => client.listTools());
      deepEqual(
        tools.map((tool) => tool.name),
        operations.map(({ operationId }) => operationId),
      );
    });

    test("calls each tool", async () => {
      const url = await createSandbox();
      await withClient(name, `${url}/mcp`, async (client) => {
        await client.listTools();
        for (const operation of operations) {
          const { operationId } = operation;
          const sent = argumentsOf(operation);
          if (operationId === "getPetImage") {
            const { photoUrls } = (await (await fetch(`${url}/v2/pet/1`)).json()) as { readonly photoUrls: string[] };
            sent["name"] = photoUrls.at(-1)?.replace(/.*\//, "");
            const { content } = (await client.callTool(operationId, sent)) as { readonly content: readonly object[] };
            const uri = `${url}/v2/pet/1/images/${String(sent["name"])}`;
            const mimeType = "application/octet-stream";
            deepEqual(content, [{ type: "resource", resource: { uri, mimeType, blob: FILE } }]);
          } else {
            equal(await describeOutcome(client.callTool(operationId, sent)), "the result", operationId);
          }
        }
      });
    });

    test("manages a sandbox", async () => {
      const url = `${origin}/sandboxes/${randomUUID()}`;
      await withClient(name, `${url}/manage/mcp`, async (client) => {
        equal(await describeOutcome(client.callTool("getData", {})), "isError: the error 404");
        await client.callTool("replaceData", { body: { data: "classic" } });
        await client.callTool("setRules", { body: [{ operationId: "getPetById", status: 503 }] });
        equal((await fetch(`${url}/v2/pet/1`)).status, 503);
        const found = await client.callTool("listRequests", { status: "503", wait: 30 });
        match(JSON.stringify(found), /"operationId":"getPetById"/);
        for (const tool of ["getData", "getRules"])
          equal(await describeOutcome(client.callTool(tool, {})), "the result");
        await client.callTool("clearRequests", {});
      });
    });
  });
}

test("Ajv compiles every schema in its strict mode", async () => {
  for (const endpoint of ["mcp", "manage/mcp"]) {
    const url = `${await createSandbox()}/${endpoint}`;
    const { tools } = await withClient("2.4", url, async (client) => client.listTools());
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    for (const { inputSchema, outputSchema = {} } of tools) {
      ajv.compile(inputSchema);
      ajv.compile(outputSchema);
    }
  }
});

/** A row of a table in docs/mcp.md: a rule, and what each client sees. */
type Row = readonly [rule: string, ...outcomes: string[]];

/** Returns the rows of the tables below a heading. */
function rowsBelow(heading: string): readonly Row[] {
  const [, ...sections] = readFileSync(join(ROOT, "docs/mcp.md"), "utf8").split(/^#+ /m);
  const section = sections.find((each) => each.startsWith(`${heading}\n`)) ?? "";
  return Array.from(section.matchAll(/^\| `(\{.*\})` \|(.*)\|$/gm), ([, rule = "", cells = ""]) => {
    const outcomes = cells.split("|").map((cell) => cell.trim());
    // One cell is for all clients.
    return [rule, ...(outcomes.length === 1 ? Object.keys(CLIENTS).map(() => outcomes[0] ?? "") : outcomes)];
  });
}

/** Calls a tool under a rule. The client knows the tools, so it validates their results. */
async function callUnder(rule: object, client: string, timeout?: number): Promise<string> {
  const url = await createSandbox();
  return withClient(client, `${url}/mcp`, async ({ listTools, callTool }) => {
    await listTools();
    equal((await send("PUT", `${url}/faults`, [rule])).status, 204);
    return describeOutcome(callTool("getPetById", { petId: 1 }, timeout));
  });
}

/** A client waits this long, in milliseconds, for what never comes. */
const SHORT_MS = 1000;

for (const [heading, selection] of [
  ["Faults in an operation", { operationId: "getPetById" }],
  ["Faults in the MCP request", { operationId: "mcp", times: 1, match: { body: { method: "tools/call" } } }],
] as const) {
  const rows = rowsBelow(heading);
  test(`${heading}: docs/mcp.md has a table`, () => ok(rows.length > 10));
  for (const [rule, ...outcomes] of rows) {
    for (const [index, client] of Object.keys(CLIENTS).entries()) {
      test(`${heading}: ${rule}, client ${client}`, async () => {
        const expected = outcomes[index] ?? "";
        const timeout = expected === "request timeout" ? SHORT_MS : undefined;
        equal(await callUnder({ ...selection, ...(JSON.parse(rule) as object) }, client, timeout), expected);
      });
    }
  }
}

for (const scenario of ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]) {
  test(`conformance: ${scenario}`, async () => {
    const url = `${(await createSandbox()).replace("127.0.0.1", "localhost")}/mcp`;
    const command = join(HERE, "node_modules/.bin/conformance");
    await succeed([command, "server", "--url", url, "--scenario", scenario, "-o", temporaryFolder()]);
  });
}
