import { getPath } from "hono/utils/url";
import { BASE_PATHS } from "../http/base-path.ts";

/** The name of a sandbox. Anyone who knows it can use the sandbox. */
const NAME = String.raw`[\w-]{16,64}`;

/** The path of a sandbox, as a pattern of Hono's. */
export const SANDBOX = `/stores/:store{${NAME}}`;

/** The message of the 404 for any other name. */
export const NAME_RULE = "must have 16 to 64 characters of A-Z a-z 0-9 _ -";

/** The message of the 404 for all that is about sandboxes, where there are none. */
export const NO_SANDBOXES = "this service has no sandboxes";

/** The path of a sandbox in a URL. Escapes are not decoded, so a sandbox has only one path. */
const BELOW_SANDBOX = new RegExp(
  String.raw`^[^/]*//[^/?#]*(/stores/(${NAME}))(${BASE_PATHS.join("|")})?(?=[/?#]|$)`,
);

/** The sandbox that a URL names. */
export interface SandboxPath {
  readonly name: string;
  /** Its path, without the base path of an interface. */
  readonly path: string;
  /** Whether the URL is one of an interface on it. */
  readonly isInterface: boolean;
}

/**
 * A URL as the object gets it: without backslashes and dot segments. Outside the package, the platform has done that
 * already, and most URLs have neither.
 */
const normalised = (url: string): string =>
  /\\|\/(?:\.|%2e)/i.test(url) ? new URL(url).href : url;

/** The sandbox that a URL names, if it names one. */
export const sandboxIn = (url: string): SandboxPath | undefined => namedBy(normalised(url));

function namedBy(url: string): SandboxPath | undefined {
  const [, path, name, base] = BELOW_SANDBOX.exec(url) ?? [];
  return path === undefined || name === undefined
    ? undefined
    : { name, path, isInterface: base !== undefined };
}

/** The path that the routes match: without the path of a sandbox, because every sandbox has the same routes. */
export function routedPath(request: Request): string {
  const whole = normalised(request.url);
  const sandbox = namedBy(whole);
  const url = sandbox?.isInterface ? whole.replace(sandbox.path, "") : whole;
  const path = getPath({ url } as Request);
  // A decoded path must not match a sandbox that the raw URL does not name.
  return sandbox || !path.startsWith("/stores/") ? path : new URL(url).pathname;
}
