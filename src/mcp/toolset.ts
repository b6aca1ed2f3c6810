import { fetchAsset } from "../http/assets.ts";
import type { Bindings } from "../http/settings.ts";

/** A tool, and the request that a call sends. */
export interface Tool {
  /** What clients see. */
  readonly definition: {
    readonly name: string;
    readonly inputSchema: { readonly properties: object; readonly required: readonly string[] };
  };
  readonly method: string;
  /** Below the sandbox: `/v2/pet/{petId}`. */
  readonly path: string;
  /** The part of the request that each argument except `body` becomes. */
  readonly places: Readonly<Record<string, "path" | "query" | "header">>;
  readonly body?: "json" | "form";
  /** The fields of a form that are files. */
  readonly files?: readonly string[];
  /** The body of a success. */
  readonly output: "json" | "list" | "file" | "none";
}

/** The tools of an endpoint, as the build writes them into an asset. */
export interface Toolset {
  readonly serverInfo: object;
  readonly instructions: string;
  readonly tools: readonly Tool[];
}

const toolsets = new Map<string, Toolset>();

/** Reads an asset with tools, once. */
export async function readToolset(bindings: Bindings, asset: string): Promise<Toolset> {
  const toolset = toolsets.get(asset) ?? (await (await fetchAsset(bindings, asset)).json<Toolset>());
  toolsets.set(asset, toolset);
  return toolset;
}
