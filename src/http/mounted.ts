import { BASE_PATH, BASE_PATHS } from "./base-path.ts";

/** Headers of an answer that contain paths. */
const WITH_PATHS = ["Content-Location", "Link", "Location", "Set-Cookie"];

/** `/v2` where a path begins. */
const BASE = new RegExp(String.raw`(^|<|Path=)${BASE_PATH}(?=[/;>]|$)`, "g");

/**
 * Serves the interface of `/v2` at another base path too. Rewrites the path of a request there, and the paths in the
 * headers of its answer.
 * @param at the other base path, without a slash at its end
 * @param answer answers a request as at `/v2`
 */
export async function mounted(
  request: Request,
  at: string | undefined,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (at === undefined) return answer(request);
  const url = new URL(request.url);
  const isBelow = (basePath: string) => `${url.pathname}/`.startsWith(`${basePath}/`);
  // A base path such as `/api` must not hide `/api/v3`.
  if (!isBelow(at) || BASE_PATHS.some(isBelow)) return answer(request);
  url.pathname = BASE_PATH + url.pathname.slice(at.length);
  const answered = await answer(new Request(url, request));
  const moved = new Response(answered.body, answered);
  for (const name of WITH_PATHS) {
    const value = moved.headers.get(name);
    if (value !== null) moved.headers.set(name, value.replaceAll(BASE, `$1${at}`));
  }
  return moved;
}
