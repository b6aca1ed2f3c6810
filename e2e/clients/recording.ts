import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface Exchange {
  /** Method and path below /v2, such as `GET /pet/{}`. */
  readonly call: string;
  readonly status: number;
}

/** The path without the ids and names in it. */
const shapeOf = (url: string) =>
  new URL(url, "http://here").pathname
    .replace(/^\/v2/, "")
    .replace(/^(\/pet|\/store\/order)\/-?\d+/, "$1/{}")
    .replace(/^\/user\/(?!login$|logout$|createWith)[^/]+$/, "/user/{}")
    .replace(/\/images\/.*/, "/images/{}");

/**
 * Stands before a server for as long as `use` takes, and passes everything on.
 * @returns what was asked and answered, in order
 */
export async function recording(
  origin: string,
  use: (recorded: string) => Promise<void>,
): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const stage = createServer((asked, answer) => {
    const { method = "", url = "", headers } = asked;
    const onward = request(`${origin}${url}`, { method, headers }, (answered) => {
      const { statusCode: status = 0 } = answered;
      exchanges.push({ call: `${method} ${shapeOf(url)}`, status });
      answer.writeHead(status, answered.headers);
      answered.pipe(answer);
    });
    onward.on("error", (error) => answer.destroy(error));
    asked.pipe(onward);
  }).listen(0, "127.0.0.1");
  await once(stage, "listening");
  try {
    await use(`http://127.0.0.1:${(stage.address() as AddressInfo).port}`);
  } finally {
    stage.closeAllConnections();
    stage.close();
  }
  return exchanges;
}
