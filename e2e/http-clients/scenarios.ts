// The scenarios: each sets a rule in a sandbox, lets a client send requests, and reads from the request log what arrived.
import type { Step } from "./clients.ts";

/** What is read of a request in the log. */
export interface Logged {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody?: string;
}

/** How a client's run ended. */
export interface Ended {
  /** The line that it printed for the last step, such as `OK 200 20`; empty if it was killed. */
  readonly line: string;
  /** When, in milliseconds. */
  readonly at: number;
  /** Requests that arrived, oldest first. */
  readonly requests: readonly Logged[];
}

export interface Scenario {
  /** Of the sandbox; none by default. */
  readonly rule?: Readonly<Record<string, unknown>>;
  /** What the client does. @param base the sandbox's `/v2` */
  readonly steps: (base: string) => readonly Step[];
  /** The table's cell. */
  readonly cell: (ended: Ended) => string;
  /** When the client is killed. */
  readonly seconds: number;
  /** Whether the client mostly waits. */
  readonly waits?: boolean;
}

/** The pet that the second request asks for. */
const PET = "/pet/2";
/** 20 attempts of wget with its pauses take 150 seconds. */
const ALL_ATTEMPTS = 240;

const failed = ({ line }: Ended) => !line.startsWith("OK") && !line.startsWith("JSON");
const to = (path: string, { requests }: Ended) => requests.filter((request) => request.path === `/v2${path}`);

/** The number of attempts, if there was more than one. */
function repeats(count: number): string {
  return count > 1 ? ` (sent ${count} times)` : "";
}

function redirect(status: number): Scenario {
  return {
    rule: { operationId: "addPet", status, location: PET },
    steps: (base) => [["post", `${base}/pet`]],
    seconds: 20,
    cell(ended) {
      const [arrived] = to(PET, ended);
      if (!arrived) return "no";
      const hasBody =
        Number(arrived.requestHeaders["content-length"] ?? 0) > 0 || "transfer-encoding" in arrived.requestHeaders;
      if (arrived.method === "GET") return hasBody ? "GET+body" : "GET";
      return `${arrived.method}${hasBody ? "+body" : " no body"}`;
    },
  };
}

/** The second request of a connection gets no response. */
function closed(action: "get" | "post" | "key"): Scenario {
  const path = action === "get" ? PET : "/pet";
  return {
    rule: { path, break: "connection" },
    steps: (base) => [
      ["get", `${base}/pet/1`],
      [action, base + path],
    ],
    seconds: ALL_ATTEMPTS,
    cell: (ended) => `${to(path, ended).length}${failed(ended) ? "" : " (then no error)"}`,
  };
}

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  R301: redirect(301),
  R302: redirect(302),
  R303: redirect(303),
  R307: redirect(307),
  R308: redirect(308),
  RETRY: {
    rule: { path: PET, status: 503, retryAfter: 1 },
    steps: (base) => [["get", base + PET]],
    seconds: 20,
    cell(ended) {
      const attempts = to(PET, ended);
      const [first] = attempts;
      return `${attempts.filter(({ at }) => first && at < first.at + 10_000).length}`;
    },
  },
  "CLOSE-GET": closed("get"),
  "CLOSE-POST": closed("post"),
  "CLOSE-POST-KEY": closed("key"),
  "FRESH-GET": { ...closed("get"), steps: (base) => [["get", base + PET]] },
  "CUT-LENGTH": {
    rule: { path: PET, break: "body" },
    steps: (base) => [["get", base + PET]],
    seconds: ALL_ATTEMPTS,
    cell: (ended) => `${failed(ended) ? "error" : "silent"}${repeats(to(PET, ended).length)}`,
  },
  JSON: {
    rule: { path: PET, break: "json" },
    steps: (base) => [["json", base + PET]],
    seconds: 20,
    cell(ended) {
      const what = failed(ended) ? "error" : ended.line.replace(/^JSON /, "");
      return `${what}${repeats(to(PET, ended).length)}`;
    },
  },
  COOKIE: {
    steps: (base) => [
      ["get", `${base}/user/login?username=user1&password=XXXXXXXXXXX`],
      ["get", `${base}/pet/1`],
    ],
    seconds: 20,
    cell: (ended) => (to("/pet/1", ended).some(({ requestHeaders }) => "cookie" in requestHeaders) ? "yes" : "no"),
  },
  SLOW: {
    rule: { path: PET, slowMs: 9000 },
    steps: (base) => [["timeout", base + PET]],
    seconds: 60,
    waits: true,
    cell: (ended) => `${failed(ended) ? "error" : "whole"}${repeats(to(PET, ended).length)}`,
  },
  DELAY: {
    rule: { path: PET, delayMs: 30_000 },
    steps: (base) => [["get", base + PET]],
    seconds: 60,
    waits: true,
    cell(ended) {
      if (!failed(ended)) return "waits";
      const [first] = to(PET, ended);
      return first ? `${Math.round((ended.at - first.at) / 1000)} s` : "no request";
    },
  },
};

/** The cell of a scenario, or `n/a` if the client has no such call. */
export function cellOf(scenario: Scenario, ended: Ended): string {
  return ended.line === "NA" ? "n/a" : scenario.cell(ended);
}
