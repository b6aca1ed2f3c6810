import { withStage } from "../stage.ts";

export interface Exchange {
  /** Method and path below the base path, such as `GET /pet/{}`. */
  readonly call: string;
  readonly status: number;
}

/** The path without the ids and names in it. */
const shapeOf = (url: string) =>
  new URL(url, "http://here").pathname
    .replace(/^\/(v2|api\/v3)/, "")
    .replace(/^(\/pet|\/store\/order)\/-?\d+/, "$1/{}")
    .replace(/^\/user\/(?!login$|logout$|createWith)[^/]+$/, "/user/{}")
    .replace(/\/images\/.*/, "/images/{}");

/** @returns what was asked of a server and answered, in order, for as long as `use` takes */
export async function recording(
  origin: string,
  use: (recorded: string) => Promise<void>,
): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const record = ({ method, url }: { method: string; url: string }, status: number) =>
    void exchanges.push({ call: `${method} ${shapeOf(url)}`, status });
  await withStage(origin, { answered: record }, use);
  return exchanges;
}
