// A proxy before a server under test.
import { once } from "node:events";
import { createServer, request as forward } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A request on its way. */
export interface Passed {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body: Buffer;
}

interface Staged {
  /** Called before a request is passed on. @returns what of it is to be different */
  readonly prepare?: (passed: Passed) => Promise<Partial<Pick<Passed, "url" | "body">>>;
  /** Called when it is answered. */
  readonly answered?: (passed: Passed, status: number) => void;
}

/** Stands before a server for as long as `use` takes, and passes everything on. */
export async function withStage<Result>(
  origin: string,
  { prepare, answered }: Staged,
  use: (stage: string) => Promise<Result>,
): Promise<Result> {
  const pass = async (asked: IncomingMessage, answer: ServerResponse) => {
    const { method = "", url = "" } = asked;
    const asReceived = { method, url, body: await buffer(asked) };
    const passed = { ...asReceived, ...(await prepare?.(asReceived)) };
    const { "transfer-encoding": _, ...headers } = asked.headers;
    const onward = forward(`${origin}${passed.url}`, {
      method,
      headers: {
        ...headers,
        ...(passed.body.length > 0 && { "content-length": passed.body.length }),
      },
    });
    onward.end(passed.body);
    const [answering] = (await once(onward, "response")) as [IncomingMessage];
    const { statusCode = 502, rawHeaders } = answering;
    answered?.(asReceived, statusCode);
    answer.writeHead(statusCode, rawHeaders);
    answering.pipe(answer);
  };
  const stage = createServer({ maxHeaderSize: 256 * 1024 }, (asked, answer) => {
    pass(asked, answer).catch((error: unknown) => {
      answer.writeHead(502).end(String(error));
    });
  }).listen(0, "127.0.0.1");
  await once(stage, "listening");
  try {
    return await use(`http://127.0.0.1:${(stage.address() as AddressInfo).port}`);
  } finally {
    stage.close();
    stage.closeAllConnections();
  }
}
