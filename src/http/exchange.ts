import { createMiddleware } from "hono/factory";
import type { RequestIdVariables } from "hono/request-id";
import type { Principal, Services } from "../services.ts";
import type { FieldError } from "./errors.ts";
import type { Operation } from "./operation.ts";

/** What went wrong, for the log. */
export interface LoggedFault {
  readonly error: string;
  readonly message: string;
  readonly cause: string | undefined;
  /** Only of a defect: its stack, with places in the bundle. */
  readonly stack?: string | undefined;
}

/** The route that a request matched. */
interface MatchedRoute {
  /** `/v2`, `/api/v3`, `/stores/:store` for what a sandbox has besides, or "". */
  readonly prefix: string;
  /** The pattern of the path below the prefix. */
  readonly path: string;
  /** The methods of the path, for `Allow`. */
  readonly allow: string;
  /** No cache may store the answers. */
  readonly noStore: boolean;
  /** Scripts of other origins cannot read the answers. */
  readonly isPrivate: boolean;
}

/** The sandbox that a URL names. */
interface NamedSandbox {
  readonly name: string;
  /** `/stores/{name}`. */
  readonly path: string;
}

/**
 * One request and its answer. It is made when the request comes; each step adds what it finds out, so that no later one
 * parses the URL again.
 * @typeParam Here what the handlers of the app's home need besides the services
 */
export interface Exchange<Here = unknown> {
  readonly requestId: string;
  /** When the request came, in milliseconds since the epoch. */
  readonly at: number;
  /** A home may replace it, to read its body while it passes. */
  request: Request;
  /** Set if the URL names a sandbox. */
  sandbox?: NamedSandbox;
  /** The path below that of the sandbox, without a slash at its end. */
  path: string;
  /** `/v2` or `/api/v3` if the path is below it, even if no route matches; otherwise "". */
  basePath: string;
  /** Set if a route matches the path. */
  route?: MatchedRoute;
  /** Set if the route also has the method. */
  operation?: Operation | undefined;
  /** The parameters of the path. */
  params: Readonly<Record<string, string>>;
  /** Set by the home before the operation runs. */
  services?: Services & Here;
  /** The caller. Unset if there is nothing to check: access is open, or the operation is for anyone. */
  principal?: Principal | undefined;
  /** Headers that the home adds to its answers. */
  added?: Readonly<Record<string, string>>;
  /** Replaces the answer, after the request was read to its end. */
  finish?: (answer: Response) => Promise<Response>;
  /** The text of the answer. Unset if it is streamed. */
  text?: string | undefined;
  /** The `errors` of the answer. */
  errors?: readonly FieldError[];
  fault?: LoggedFault;
  /** Why the request could not be counted, for the log. */
  uncounted?: LoggedFault;
}

/**
 * Hono's types of the app.
 * @typeParam Bindings what the home passes to `fetch`
 * @typeParam Here what the handlers of the home need besides the services
 */
export interface App<Bindings extends object = object, Here = unknown> {
  Bindings: Bindings;
  Variables: RequestIdVariables & { exchange: Exchange<Here> };
}

/** Opens the exchange of each request, and passes it to `note` after the answer. */
export const exchanges = <Bindings extends object, Here>(
  note: (exchange: Exchange<Here>, answer: Response, bindings: Bindings) => void,
) =>
  createMiddleware<App<Bindings, Here>>(async (c, next) => {
    const exchange: Exchange<Here> = {
      requestId: c.get("requestId"),
      at: Date.now(),
      request: c.req.raw,
      path: c.req.path,
      basePath: "",
      params: {},
    };
    c.set("exchange", exchange);
    await next();
    await drainBody(exchange.request);
    if (exchange.finish) {
      const answer = await exchange.finish(c.res);
      // Otherwise Hono would copy the headers of the previous answer.
      c.res = undefined;
      c.res = answer;
    }
    note(exchange, c.res, c.env);
  });

/** Reads the rest of the body. Otherwise the next request on the connection would fail. */
async function drainBody(request: Request): Promise<void> {
  // If the client has disconnected, there is no next request.
  if (!request.bodyUsed) await request.body?.pipeTo(new WritableStream()).catch(() => undefined);
}
