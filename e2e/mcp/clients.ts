// The official clients of MCP, behind one interface.
import {
  Client,
  ProtocolError,
  SdkError,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type ClientOptions,
} from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StreamableHTTPClientTransport as Transport1,
  StreamableHTTPError,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";

/** The part of a client that the tests use. */
export interface McpClient {
  readonly listTools: () => Promise<{ readonly tools: readonly Tool[] }>;
  /** @param timeout in milliseconds */
  readonly callTool: (name: string, args: Readonly<Record<string, unknown>>, timeout?: number) => Promise<object>;
  readonly close: () => Promise<void>;
}

export interface Tool {
  readonly name: string;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
}

const INFO = { name: "pet-store-test", version: "1.0.0" };

/** Long, because the machine may be busy. */
const TIMEOUT_MS = 60_000;

const connect2 =
  (options: ClientOptions) =>
  async (url: string): Promise<McpClient> => {
    const client = new Client(INFO, options);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return {
      listTools: async () => client.listTools(),
      callTool: async (name, args, timeout = TIMEOUT_MS) => client.callTool({ name, arguments: args }, { timeout }),
      close: async () => client.close(),
    };
  };

async function connect1(url: string): Promise<McpClient> {
  const client = new Client1(INFO);
  const transport: unknown = new Transport1(new URL(url));
  // Its types are not exact about optional properties.
  await client.connect(transport as Transport);
  return {
    listTools: async () => client.listTools(),
    callTool: async (name, args, timeout = TIMEOUT_MS) =>
      client.callTool({ name, arguments: args }, undefined, { timeout }),
    close: async () => client.close(),
  };
}

/** Each client by the name that docs/mcp.md has in its tables. */
export const CLIENTS: Readonly<Record<string, (url: string) => Promise<McpClient>>> = {
  "2.4": connect2({}),
  "2.4, `auto`": connect2({ versionNegotiation: { mode: "auto" } }),
  "1.32": connect1,
};

/** Describes a result or an error as in docs/mcp.md. */
export async function describeOutcome(outcome: Promise<object>): Promise<string> {
  try {
    return describeResult(await outcome);
  } catch (error) {
    if (error instanceof SdkHttpError) return `HTTP ${error.status}`;
    if (error instanceof StreamableHTTPError && (error.code ?? 0) > 0) return `HTTP ${error.code}`;
    if (error instanceof SdkError) return error.code.replace("CLIENT_HTTP_", "").toLowerCase().replace("_", " ");
    if (error instanceof McpError && error.code === -32001) return "request timeout";
    if (error instanceof ProtocolError || error instanceof McpError) return `error ${error.code}`;
    if (error instanceof StreamableHTTPError) return "unexpected content";
    if (error instanceof TypeError) return error.message;
    return (error as Error).name.replace("$", "");
  }
}

function describeResult(result: object): string {
  const {
    isError,
    content = [],
    structuredContent,
  } = result as {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text?: string }[];
    readonly structuredContent?: object;
  };
  if (!isError) return content.length > 0 && structuredContent ? "the result" : "the result without content";
  const text = content[0]?.text ?? "";
  const [, status] = /^\{"code":(\d+),/.exec(text) ?? [];
  return status === undefined ? `isError: \`${text}\`` : `isError: the error ${status}`;
}
