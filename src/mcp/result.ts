import { JSON_TYPE, parseJson } from "../http/body.ts";
import { ApiError } from "../http/errors.ts";
import { readChunks } from "../http/read-body.ts";
import { isObject } from "../http/schemas.ts";
import type { Tool } from "./toolset.ts";

/** The maximum size of a response, in bytes: that of the largest file. */
const MAX_BYTES = 5 * 1024 * 1024;

const toContent = (text: string) => [{ type: "text", text }];

/** Returns the result of a failed call. It never has structured content, because some clients would then hide the error. */
export const toFailure = (text: string): object => ({ content: toContent(text), isError: true });

/** The result of a call without a response, or with a response that is cut off. */
export const NO_RESPONSE = toFailure("No complete response");

/**
 * Converts the response to the request of a call.
 * @param uri the URL of the request as clients see it, to name a file
 */
export async function toResult(response: Response, tool: Tool, uri: string): Promise<object> {
  const retryAfter = response.headers.get("Retry-After");
  const result = await convert(response, tool, uri);
  return retryAfter === null ? result : { ...result, _meta: { "retry-after": retryAfter } };
}

async function convert({ ok, status, body, headers }: Response, { output }: Tool, uri: string): Promise<object> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = body ? await readChunks(body, MAX_BYTES) : new Uint8Array();
  } catch (error) {
    if (!(error instanceof ApiError)) return NO_RESPONSE;
    await body?.cancel();
    return toFailure(error.message);
  }
  if (!ok) return toFailure(new TextDecoder().decode(bytes) || `HTTP ${status}`);
  if (output === "none") return { content: toContent(`HTTP ${status}`) };
  const type = headers.get("Content-Type") ?? "";
  if (output === "file") return { content: [toFile(bytes.toBase64(), type, uri)] };
  const value = type.startsWith(JSON_TYPE) ? parseJson(bytes) : undefined;
  // The revisions before 2026-07-28 require an object.
  const structuredContent = output === "list" && value !== undefined ? { items: value } : value;
  if (!isObject(structuredContent)) return toFailure(`HTTP ${status} without valid JSON`);
  return { content: toContent(JSON.stringify(structuredContent)), structuredContent };
}

const toFile = (data: string, mimeType: string, uri: string) =>
  mimeType.startsWith("image/")
    ? { type: "image", data, mimeType }
    : { type: "resource", resource: { uri, mimeType, blob: data } };
