import { isObject } from "../http/schemas.ts";
import type { Tool } from "./toolset.ts";

/** Thrown for arguments that cannot become a request. The message names them. */
export class InvalidArguments extends Error {}

/** The headers of an MCP request that also apply to the request of the tool, in lower case. */
const PASSED_ON = new Set(["authorization", "api_key", "x-api-key", "prefer", "idempotency-key", "cf-connecting-ip"]);

/** Creates the request of a call. Throws `InvalidArguments`. @param received the headers of the MCP request */
export function toRequest(tool: Tool, sent: object, base: string, received: Headers): Request {
  // As in a body, `null` means that an argument is absent.
  const given = new Map<string, unknown>(Object.entries(sent).filter(([, value]) => value !== null));
  checkNames(tool, given);
  const headers = new Headers([...received].filter(([name]) => PASSED_ON.has(name)));
  const url = new URL(base + tool.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => toSegment(name, given.get(name))));
  for (const [name, value] of given) {
    const place = tool.places[name];
    if (place === "header") headers.set(name, toHeader(name, value));
    if (place === "query") for (const each of [value].flat()) url.searchParams.append(name, toText(name, each));
  }
  if (tool.body === "json") headers.set("Content-Type", "application/json");
  return new Request(url, { method: tool.method, headers, body: toBody(tool, given.get("body")) });
}

/** Rejects unknown arguments, which the operation would ignore, and missing ones. */
function checkNames({ definition }: Tool, given: ReadonlyMap<string, unknown>): void {
  const { properties, required } = definition.inputSchema;
  const unknown = given.keys().filter((name) => !Object.hasOwn(properties, name));
  const missing = required.filter((name) => !given.has(name));
  const errors = [
    ...unknown.map((name) => `${name} is not an argument`),
    ...missing.map((name) => `${name} is required`),
  ];
  if (errors.length > 0) throw new InvalidArguments(errors.join("; "));
}

function toText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new InvalidArguments(`${name} must be a string, a number, or a boolean`);
}

/** Returns a segment of a path. A URL drops dot segments, and an empty segment addresses another path. */
function toSegment(name: string, value: unknown): string {
  const text = toText(name, value);
  if (["", ".", ".."].includes(text)) throw new InvalidArguments(`${name} must not be empty, "." or ".."`);
  return encodeURIComponent(text.toWellFormed());
}

function toHeader(name: string, value: unknown): string {
  const text = toText(name, value);
  if (!/^[ -~]*$/.test(text)) throw new InvalidArguments(`${name} must be printable ASCII`);
  return text;
}

function toBody({ body, files = [] }: Tool, value: unknown): BodyInit | null {
  if (body === undefined) return null;
  if (body === "json") return JSON.stringify(value);
  if (!isObject(value)) throw new InvalidArguments("body must be an object");
  const form = new FormData();
  for (const [name, field] of Object.entries(value)) {
    const path = `body.${name}`;
    if (files.includes(name)) form.set(name, new Blob([toBytes(path, field)]), name);
    else if (field !== null) form.set(name, toText(path, field));
  }
  return form;
}

function toBytes(name: string, value: unknown): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(toText(name, value));
  } catch {
    throw new InvalidArguments(`${name} must be base64`);
  }
}
