import { exports } from "cloudflare:workers";
import { clientOf } from "./client.ts";
import type { Answer, Sent } from "./client.ts";

/** What the service answered, its body as bytes; `text` is empty where they are an image. */
export async function fetchBytes(
  method: string,
  path: string,
  sent: Sent = {},
): Promise<Answer & { readonly bytes: Uint8Array<ArrayBuffer> }> {
  let bytes = new Uint8Array();
  const client = clientOf(async (request) => {
    const response = await exports.default.fetch(request);
    bytes = new Uint8Array(await response.arrayBuffer());
    const isImage = response.headers.get("content-type")?.startsWith("image/");
    return new Response(isImage || bytes.length === 0 ? null : bytes, response);
  });
  return { ...(await client(method, path, sent)), bytes };
}
