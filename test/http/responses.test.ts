import { afterEach, describe, expect, test, vi } from "vitest";
import { messagesOf } from "../../src/http/operation.ts";
import { BASE_PATH } from "../../src/http/base-path.ts";
import { routes } from "../../src/routes.ts";
import { send } from "../client.ts";
import type { Answer } from "../client.ts";
import { openApi, operationsOf, petstore3 } from "../openapi.ts";
import { captureFaults, clientWith, outcome, refusal } from "../fixtures.ts";
import { CountingLimit } from "../limiters.ts";
import { exchange, operations, prepare } from "../operations.ts";
import { database } from "../engine.ts";
import { words } from "../spellings.ts";
import { ERRORS, OTHERS, SPEC_ERRORS } from "./answers.ts";
import type { Way } from "./answers.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const OF_DATA = "default-src 'none'; frame-ancestors 'none'";
const OF_IMAGES = `${OF_DATA}; sandbox`;

const EXPOSED = [
  "etag",
  "link",
  "retry-after",
  "x-d1-bookmark",
  "x-expires-after",
  "x-rate-limit",
  "x-request-id",
];

/** Exposed in sandboxes as well, but not on a preflight. */
const OF_SANDBOXES = new Set(["location", "preference-applied"]);

function exposedBy({ headers }: Answer): string[] {
  const exposed = headers.get("access-control-expose-headers") ?? "";
  return exposed.toLowerCase().split(/, */).toSorted();
}

/** Every answer is data that pages of any origin may read. Caches ask again before they use it. */
function expectHeaders(answer: Answer, path: string, https: boolean): void {
  const { status, headers } = answer;
  const isImage = path.includes("/images/") && status < 400;
  const caching = path.startsWith("/user") ? "no-store" : "private, no-cache";
  expect({
    "policy §API8 §V3.2": headers.get("content-security-policy"),
    referrer: headers.get("referrer-policy"),
    sniffing: headers.get("x-content-type-options"),
    "transport §V12.2": headers.get("strict-transport-security"),
    "origins §7.1": headers.get("access-control-allow-origin"),
    "credentials §V3.5": headers.get("access-control-allow-credentials"),
    "caching §7.4.1 §V14.3 §R1": headers.get("cache-control"),
  }).toEqual({
    "policy §API8 §V3.2": isImage ? OF_IMAGES : OF_DATA,
    referrer: "no-referrer",
    sniffing: "nosniff",
    "transport §V12.2": https ? "max-age=31536000" : null,
    "origins §7.1": "*",
    "credentials §V3.5": null,
    // An edge that compresses an answer would weaken its tag.
    "caching §7.4.1 §V14.3 §R1": headers.has("etag") ? `${caching}, no-transform` : caching,
  });
  expect(exposedBy(answer).filter((name) => !OF_SANDBOXES.has(name))).toEqual(EXPOSED);
  expect(headers.get("x-request-id")).toMatch(/^[\w-]{8,}$/);
}

/** Sends a cross-origin request by HTTP or HTTPS. */
const ask = async ({ worker, request }: Pick<Way, "worker" | "request">, https: boolean) => {
  const sent = await request();
  const before = await content();
  const client = clientWith(worker, { https });
  const answer = await exchange(client, sent, { Origin: "https://shop.example" });
  expectHeaders(answer, sent.path, https);
  return { answer, path: sent.path, before };
};

/** What the tables hold. */
async function content(): Promise<unknown> {
  const tables = ["pets", "pet_tags", "inventory", "orders", "users", "id_sequences"];
  const statements = tables.map((table) => database.prepare(`select * from ${table}`));
  return (await database.batch(statements)).map(({ results }) => results);
}

/** Operations whose success has an ETag. */
const TAGGED = words(
  "addPet updatePet getPetById getPetImage placeOrder getOrderById getUserByName",
);
/** More of Petstore 3 show the resource. */
const TAGGED_IN_3 = new Set([...TAGGED, ...words("updatePetWithForm createUser updateUser")]);
const hasTag = ({ id, basePath }: { readonly id: string; readonly basePath: string }) =>
  basePath === BASE_PATH ? TAGGED.includes(id) : TAGGED_IN_3.has(id);

const LINE = "text/plain; charset=utf-8";

/** The media types of successes that are not JSON. */
const TYPES: Readonly<Record<string, string | null>> = {
  getPetImage: "image/png",
  "/api/v3#deletePet": LINE,
  "/api/v3#logoutUser": LINE,
  "/api/v3#deleteOrder": null,
  "/api/v3#deleteUser": null,
};

describe("a success", () => {
  test.each(operations)(
    "of $name has the headers of every answer and its own request id, by http and https §8.1 §R3",
    async ({ name, ...each }) => {
      const ids = new Set<string | null>();
      for (const https of [false, true]) {
        const request = async () => (await prepare(name)).request;
        const { answer } = await ask({ worker: {}, request }, https);
        expect(answer.status).toBe(200);
        expect(answer.headers.has("etag"), "an ETag, as in TAGGED").toBe(hasTag(each));
        const type = name in TYPES ? TYPES[name] : "application/json";
        expect(answer.headers.get("content-type"), "the media type §V4.1").toBe(type);
        ids.add(answer.headers.get("x-request-id"));
      }
      expect(ids.size).toBe(2);
    },
  );

  test("needs no request of the service's own, whatever URLs it is given §API7", async () => {
    const fetched = vi.spyOn(globalThis, "fetch");
    for (const { name } of operations) {
      const { request } = await prepare(name, { word: "http://127.0.0.1/" });
      expect((await exchange(send, request)).status).toBe(200);
    }
    const photoUrls = [
      "http://127.0.0.1/",
      "http://169.254.169.254/latest",
      "//pets.example/a.png",
    ];
    await send("POST", "/pet", { json: { name: "Rex", photoUrls } });
    expect(fetched).not.toHaveBeenCalled();
  });
});

const INTERNAL =
  /sqlite|d1_|drizzle|valibot|hono|constraint|select |insert |update |\bpets\b|id_sequences|\.[jt]s\b|\bat \w+ \(|stack/i;

/** The methods of each path that is answered 405 here (RFC 9110 §15.5.6). */
const allowedAt = (path: string) =>
  path === "/pet" ? "OPTIONS, POST, PUT" : "DELETE, GET, HEAD, OPTIONS, PUT";

describe("an error", () => {
  test.each(ERRORS)(
    "of $operation is $status: $what, at $at §2.9.1 §2.9.2 §8.3",
    async ({ status, what, at, ...way }) => {
      captureFaults();
      for (const https of [false, true]) {
        const { answer, path, before } = await ask(way, https);
        expect(outcome(answer)).toEqual(refusal(status, what, ...at));
        expect(answer.headers.get("content-type")).toBe("application/json");
        expect(answer.text, "nothing internal §2.9.3 §V13.4").not.toMatch(INTERNAL);
        const allow = answer.headers.get("allow")?.split(", ").toSorted().join(", ");
        expect(allow, "Allow §1.2.2").toBe(status === 405 ? allowedAt(path) : undefined);
        expect(await content(), "what is stored").toEqual(before);
      }
    },
  );

  test("is tried here for each status that the specification gives an operation §8.2", () => {
    const stated = SPEC_ERRORS.map(({ operation, status, what }) =>
      [operation, status, what].join(" "),
    );
    const tried = new Set(SPEC_ERRORS.map(({ operation }) => operation));
    // The specification knows 400, 404 and 405; what else is declared are answers of the contract.
    const declared = routes.flatMap(({ method, path, endpoint }) => {
      const operation = `${method} ${path.replace(/:(\w+)/, "{$1}")}`;
      return Object.entries(messagesOf(endpoint.operation))
        .filter(([status]) => tried.has(operation) && /^(?:400|404|405)$/.test(status))
        .map(([status, meaning]) => [operation, status, meaning].join(" "));
    });
    expect(stated.toSorted()).toEqual(declared.toSorted());
    expect([stated.length, tried.size]).toEqual([22, 13]);
  });
});

test.each(OTHERS)(
  "the headers of every answer are on $what: $operation with $status §7.4.2",
  async ({ operation, status, ...way }) => {
    for (const https of [false, true]) {
      const { answer } = await ask(way, https);
      expect(answer.status).toBe(status);
      expect(answer.headers.has("etag")).toBe(!/OPTIONS|findByTags/.test(operation));
    }
  },
);

test("every status that the documents have is tried here §8.3", () => {
  const documented = [openApi, petstore3]
    .flatMap(operationsOf)
    .flatMap(({ responses }) => Object.keys(responses));
  // The platform answers 414.
  const tried = new Set(["414", ...[...ERRORS, ...OTHERS].map(({ status }) => String(status))]);
  expect([...new Set(documented)].filter((status) => !tried.has(status))).toEqual([]);
});

describe("too many requests", () => {
  test("are answered 429 with Retry-After, and reach no store §6.7.4 §API6", async () => {
    const REQUESTS = new CountingLimit(0);
    const headers = { "CF-Connecting-IP": "203.0.113.7" };
    const tags = [crypto.randomUUID()];
    const json = { name: "Rex", photoUrls: "rex.png", tags };
    const answer = await clientWith({ REQUESTS })("POST", "/pet", { json, headers });
    expect(outcome(answer)).toEqual(refusal(429, "Too many requests"));
    expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(REQUESTS.keys).toEqual([expect.stringContaining("203.0.113.7")]);
    expect((await send("GET", `/pet/findByTags?tags=${tags[0]}`)).json).toEqual([]);
  });

  test("are counted per client address §6.7.1 §API4 §V2.4", async () => {
    const client = clientWith({ REQUESTS: new CountingLimit(2) });
    const from = async (address: string) =>
      client("GET", "/store/inventory", { headers: { "CF-Connecting-IP": address } });
    const statuses = [];
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.2"]) {
      statuses.push((await from(address)).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200, 200]);
  });
});
