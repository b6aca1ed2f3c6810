import type { Context } from "hono";
import { Disconnected } from "../http/errors.ts";

/** Sent only by a Durable Object to the Worker. No rule can set this header. */
const HEADER = "Disconnect";

/** Returns the response of a Durable Object that makes the Worker close the connection to the client. */
export const disconnectResponse = (): Response => new Response(null, { headers: { [HEADER]: "yes" } });

export const isDisconnection = ({ headers }: Response): boolean => headers.has(HEADER);

/**
 * Closes the connection to the client before the first byte of a response. This works because workerd sends the head together
 * with the first byte of the body. A Durable Object cannot do it, because the Worker would still send the head.
 */
export function disconnect(c: Context): Response {
  const error = new Disconnected("a rule closed the connection");
  // The head of a response to HEAD is sent without reading its body.
  if (c.req.method === "HEAD") throw error;
  const pull = (controller: ReadableStreamDefaultController) => {
    controller.error(error);
  };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
}
