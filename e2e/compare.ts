// Sends the same requests to `npm start` and to the package's command, and compares the responses. Every known difference
// is in DIFFERENCES, with its reason; any other one fails.
import { REQUESTS, exchange, type Sent } from "../test/db/requests.ts";
import { startPackage, withServer } from "./server.ts";

interface Difference {
  readonly reason: string;
  /** The requests, such as `GET /v2/pet/1`. */
  readonly requests: RegExp;
  /** Names of headers, `status`, and `body`. */
  readonly names: RegExp;
}

const DIFFERENCES: readonly Difference[] = [
  { reason: "only D1 has bookmarks", requests: /^/, names: /^x-d1-bookmark$/ },
  {
    reason: "in front of wrangler's Worker stands a proxy, which sends pages and documents in chunks",
    requests: /^/,
    names: /^(?:transfer-encoding|content-length)$/,
  },
  {
    reason: "workerd's own assets have other tags, and no cache",
    requests: /^(?:GET|HEAD) \/docs\//,
    names: /^(?:etag|cf-cache-status)$/,
  },
  {
    reason: "the Worker itself responds to an unknown page, and to other methods at a page: 404, and 405 with Allow",
    requests: /^(?:\S+ \/docs\/nothing|(?:POST|OPTIONS) \/docs\/(?:page\.css)?)$/,
    names: /^/,
  },
];

const PATHS = [
  "/",
  "/docs",
  "/docs/",
  "/docs/page.css",
  "/docs/nothing",
  "/health",
  "/nothing",
  "/v2/pet/x",
  "/sandboxes/",
];
const TYPES = ["text/html", "application/json"];

/** Requests for pages, and to manage a sandbox. */
const OTHERS: readonly Sent[] = [
  ...PATHS.flatMap((path) =>
    ["GET", "HEAD", "OPTIONS", "POST"].flatMap((method) =>
      TYPES.map((Accept) => [method, path, { headers: { Accept } }] as const),
    ),
  ),
  ["PUT", "/sandboxes/a-sandbox-to-manage/data", { json: { data: "classic" } }],
  ["PUT", "/sandboxes/a-sandbox-to-manage/data", { json: { data: "x" } }],
  ["PUT", "/sandboxes/a-sandbox-to-manage/data", { json: { pets: [{ name: "" }] } }],
  ["PUT", "/sandboxes/a-sandbox-to-manage/faults", { json: [{}] }],
  ["PUT", "/sandboxes/a-sandbox-to-manage/faults", { json: [{ status: 503, times: 1 }, { patch: { name: 1 } }] }],
  ["GET", "/sandboxes/a-sandbox-to-manage/v2/pet/1"],
  ["GET", "/sandboxes/a-sandbox-to-manage/v2/pet/1"],
  ["GET", "/sandboxes/a-sandbox-to-manage/v2/user/login?username=user1&password=XXXXXXXXXXX"],
  ...["", "/data", "/faults", "/access", "/requests?limit=0", "/nothing"].map(
    (path) => ["GET", `/sandboxes/a-sandbox-to-manage${path}`] as const,
  ),
];

async function collect(origin: string) {
  const send: Parameters<typeof exchange>[3] = async (method, target, { json, body, headers }) =>
    fetch(origin + target, {
      method,
      redirect: "manual",
      headers: {
        "Accept-Encoding": "identity",
        ...(json !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
    });
  return [
    ...(await exchange(REQUESTS, "", origin, send)),
    ...(await exchange(REQUESTS, "/sandboxes/a-sandbox-to-compare", origin, send)),
    ...(await exchange(OTHERS, "", origin, send)),
  ].map(({ request, status, body, headers }) => ({ request, parts: { ...headers, status: String(status), body } }));
}

const expected = await withServer(collect);
const { program, origin } = await startPackage([]);
const found = await collect(origin).finally(async () => program.stop());

const counts = new Map<string, number>();
const unexplained: string[] = [];
for (const [index, { request, parts }] of expected.entries()) {
  const one: Readonly<Record<string, string>> = parts;
  const other: Readonly<Record<string, string>> = found[index]?.parts ?? {};
  const reasons = new Set<string>();
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (one[name] === other[name]) continue;
    const difference = DIFFERENCES.find((each) => each.requests.test(request) && each.names.test(name));
    if (difference) reasons.add(difference.reason);
    else unexplained.push(`${request}: ${name} is ${other[name]} instead of ${one[name]}`);
  }
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
}
for (const [reason, count] of counts) console.log(`ok  ${count} responses differ: ${reason}`);
const statuses = [...new Set(expected.map(({ parts }) => parts.status))].toSorted(
  (one, other) => Number(one) - Number(other),
);
console.log(`ok  ${expected.length} requests, with the statuses ${statuses.join(", ")}`);
if (unexplained.length > 0) throw new Error(unexplained.join("\n"));
