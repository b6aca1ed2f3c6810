import { exports } from "cloudflare:workers";
import { clientOf } from "./client.ts";
import type { Answer, Sent } from "./client.ts";

/** The service's answer, with its body as bytes. `text` is empty if the body is an image. */
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
