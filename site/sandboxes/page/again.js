// Sends a logged request again.
import { base } from "./api.js";
import { NOISE, bodyOf, isMasked } from "./curl.js";
import { say } from "./notice.js";

/** Returns why a browser cannot send a request again; `undefined` if it can. */
export function whyNot(request) {
  const { isCut, isMissing } = bodyOf(request);
  if (isCut || isMissing) return "It cannot be sent again from here: the request log does not have its whole body.";
  const isBodyless = ["GET", "HEAD"].includes(request.method);
  return isBodyless && request.requestBody ? "Browsers cannot send a body with this method: use curl." : undefined;
}

/** Sends a request without the headers that the log masks. Like any request, it is logged and subject to rules. */
export async function sendAgain({ method, path, requestHeaders, requestBody }) {
  const headers = Object.entries(requestHeaders).filter(
    (header) => !NOISE.test(header.join(": ")) && !isMasked(header),
  );
  // A blob without a type does not add a Content-Type.
  const body = requestBody === undefined ? undefined : new Blob([requestBody]);
  try {
    const options = { method, headers, body, cache: "no-store", credentials: "omit", redirect: "manual" };
    const response = await fetch(base + path, options);
    await response.arrayBuffer();
    say(`Sent again: ${response.status || "a redirect"}. The newest request is yours.`);
  } catch {
    say("Sent again, but the response did not arrive completely.");
  }
}
