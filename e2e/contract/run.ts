// `npm run test:contract`: runs Specmatic, a tool that we did not write, which reads openapi.json and tests a running
// server. Specmatic sends what the document allows, including its limits, and expects the answer that the document
// promises. It also sends what the document forbids, one fault at a time, and expects a refusal. The requests pass
// through a stage that first creates what they name: a pet 7 for `GET /pet/7`. Needs Java 17 or newer.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PNG, imageForm, memberOf, parsed, send, succeed } from "../http.ts";
import { withServer } from "../server.ts";
import { withStage } from "../stage.ts";
import type { Passed } from "../stage.ts";

type Json = Record<string, unknown>;
type Kind = "pet" | "order" | "user";
interface Document {
  paths: Record<string, object>;
}

/** Values of one field that are combined with those of others; their number is a product otherwise. */
const COMBINATIONS = "20";
/** For a run of a minute: half the processor time. */
const QUICK_START = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];
const LIMIT_MS = 240_000;
/** A path that an image may have. */
const IMAGE_PATH = /\/pet\/(\d+)\/images\/[\da-f-]{36}\.\w+$/;
const MAX_ID = Number.MAX_SAFE_INTEGER;
/** The pet whose image Specmatic asks for. The pets of the other tests have ids at the limits, or random ids. */
const PET_WITH_IMAGE = 2;

/**
 * The parts of the document that Specmatic does not get, and why.
 * - A pattern with an escape such as `\\u0000` or `\\s` in a class: the library that makes strings for it reads these
 *   as other characters. So its strings do not match, and it reports matching strings as a mismatch
 *   (https://github.com/specmatic/specmatic/issues/1750).
 * - 206: it answers a header, `Range`, that no operation has as a parameter.
 * - All but one of the four types of images: it expects each of them of the same image.
 */
function readable(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(readable);
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).filter(
    ([key, value]) => key !== "pattern" || typeof value !== "string" || !/\\[us]/.test(value),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, readable(value)]));
}
const LEFT_OUT = [
  "STATUS='206'",
  ...["jpeg", "gif", "webp"].map((type) => `RESPONSE.CONTENT-TYPE='image/${type}'`),
];
const OF_IMAGES = "PATH='/pet/{petId}/images/{name}'";
const FILTER = LEFT_OUT.map((left) => `!(${OF_IMAGES} && ${left})`).join(" && ");

/** Between Specmatic and the service: makes sure of what requests name. */
class Provision {
  readonly #service: string;
  readonly #taken: Record<Kind, Set<number>> = {
    pet: new Set(),
    order: new Set(),
    user: new Set(),
  };
  readonly #usernames = new Set<string>();
  readonly #image: string;

  /** @param image where the only image is that can be asked for: the service makes up their names */
  constructor(service: string, image: string) {
    this.#service = service;
    this.#image = image;
  }

  /** @returns where a request goes instead, and with which body */
  async pass({ method, url, body }: Passed): Promise<{ url: string; body: Buffer }> {
    const [, petId] = IMAGE_PATH.exec(url) ?? [];
    return {
      url: petId !== undefined && isId(Number(petId)) ? this.#image : url,
      body: await this.#prepare(method, url, body),
    };
  }

  /**
   * Creates what the request names, and frees the usernames that its body brings.
   * @returns the body; changed where an earlier test took an id, or where Specmatic cannot do better
   */
  async #prepare(method: string, url: string, body: Buffer): Promise<Buffer> {
    const { pathname, searchParams } = new URL(url, this.#service);
    const [, , kind = "", first = "", second = ""] = pathname.split("/").map(decode);
    const json = parsed(body.toString());
    if (kind === "pet") {
      if (/^\d+$/.test(first)) await this.#create("pet", Number(first));
      if (second === "uploadImage") return asUpload(asText(body));
      if (first !== "" || method === "PUT") {
        await this.#create("pet", idOf(json));
        return json === undefined ? asText(body) : body;
      }
      return this.#withFreeIds("pet", json, body);
    }
    if (kind === "store") {
      if (second === "") return this.#withFreeIds("order", json, body);
      await this.#create("order", Number(second));
      return body;
    }
    const username = searchParams.get("username");
    if (first === "login") {
      if (username !== null) {
        await this.#free(username);
        await this.#send("POST /user", { username, password: searchParams.get("password") });
      }
      return body;
    }
    for (const name of listOf(json).map((user) => memberOf(user, "username"))) {
      if (typeof name === "string" && name !== first) await this.#free(name);
    }
    if (first === "" || first.startsWith("createWith")) {
      return this.#withFreeIds("user", withoutTwins(json), body);
    }
    this.#usernames.add(first);
    await this.#send("POST /user", { username: first });
    return body;
  }

  async #create(kind: "pet" | "order", id: number | undefined): Promise<void> {
    if (id === undefined || !isId(id)) return;
    this.#taken[kind].add(id);
    if (kind === "pet") await this.#send("POST /pet", { id, name: "Rex", photoUrls: [] });
    else await this.#send("POST /store/order", { id });
  }

  async #free(username: string): Promise<void> {
    if (!this.#usernames.has(username)) {
      this.#usernames.add(username);
      return;
    }
    await this.#send(`DELETE /user/${encodeURIComponent(username)}`);
  }

  async #send(target: string, json?: unknown): Promise<void> {
    await send(`${this.#service}/v2`, target, { json });
  }

  /** Ids are tested at their limits again and again, and what has them cannot always be removed. */
  #withFreeIds(kind: Kind, json: unknown, body: Buffer): Buffer {
    const taken = this.#taken[kind];
    let changed = listOf(json).length !== listOf(parsed(body.toString())).length;
    for (const resource of listOf(json)) {
      let id = idOf(resource);
      if (id === undefined || !isId(id)) continue;
      while (taken.has(id)) id = id > 1 ? id - 1 : MAX_ID;
      taken.add(id);
      if (id !== idOf(resource)) {
        Object.assign(resource as Json, { id });
        changed = true;
      }
    }
    return changed ? Buffer.from(JSON.stringify(json)) : body;
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function listOf(json: unknown): unknown[] {
  return Array.isArray(json) ? (json as unknown[]) : [json];
}

/** Specmatic repeats the longest username within an array. */
function withoutTwins(json: unknown): unknown {
  if (!Array.isArray(json)) return json;
  const users = json as unknown[];
  const names = users.map((user) => memberOf(user, "username"));
  return users.filter((_, at) => typeof names[at] !== "string" || names.indexOf(names[at]) === at);
}

/** Specmatic sends a file as a text field, and its random bytes are no image. */
function asUpload(body: Buffer): Buffer {
  const image = `name="file"; filename="rex.png"\r\n\r\n${Buffer.from(PNG).toString("latin1")}`;
  const text = body.toString("latin1").replace(/name=file\r\n[^]*?\r\n\r\n/, () => image);
  return Buffer.from(text, "latin1");
}

/** Specmatic calls the fields of a form bytes, which they would have to be sent as a file for. */
function asText(body: Buffer): Buffer {
  const text = body.toString("latin1").replaceAll("application/octet-stream", "text/plain");
  return Buffer.from(text, "latin1");
}

const isId = (id: number) => Number.isSafeInteger(id) && id > 0;

function idOf(resource: unknown): number | undefined {
  const id = memberOf(resource, "id");
  return typeof id === "number" ? id : undefined;
}

/** @returns the path of an image that is there */
async function uploadImage(origin: string): Promise<string> {
  const base = `${origin}/v2`;
  const path = `/pet/${PET_WITH_IMAGE}`;
  await succeed(base, "POST /pet", { json: { id: PET_WITH_IMAGE, name: "Rex", photoUrls: [] } });
  await succeed(base, `POST ${path}/uploadImage`, { body: imageForm() });
  const image = /\/v2[^"]+\.png/.exec((await send(base, `GET ${path}`)).text)?.[0];
  if (image === undefined) throw new Error("no image could be uploaded");
  return image;
}

/** What Specmatic said: which operations it tested, and how many tests failed. */
interface Tests {
  readonly operations: ReadonlySet<string>;
  readonly failed: number;
}

/** Follows Specmatic's output, and prints its sums and every failed test. */
async function follow(output: NodeJS.ReadableStream): Promise<Tests> {
  const operations = new Set<string>();
  let failed = 0;
  let test: string[] = [];
  for await (const line of createInterface({ input: output })) {
    const shown = line.length > 300 ? `${line.slice(0, 300)}…` : line;
    if (line.startsWith("--------------------")) test = [];
    else if (test.length < 200) test.push(shown);
    const [, operation, outcome] =
      /^[+-]ve +Scenario: (\S+ \S+) .*has (SUCCEEDED|FAILED)$/.exec(line) ?? [];
    if (operation !== undefined) operations.add(operation);
    if (outcome === "FAILED") {
      failed += 1;
      console.log(test.join("\n"));
    }
    if (line.startsWith("Tests run:")) console.log(line);
  }
  return { operations, failed };
}

async function runSpecmatic(origin: string, document: Document): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "pet-store-contract-"));
  try {
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(readable(document)));
    const jar = createRequire(import.meta.url).resolve("specmatic/specmatic.jar");
    const options = [
      "test",
      "openapi.json",
      `--testBaseURL=${origin}/v2`,
      "--timeout=30",
      `--filter=${FILTER}`,
    ];
    const tester = spawn("java", [...QUICK_START, "-jar", jar, ...options], {
      cwd: folder,
      env: {
        ...process.env,
        SPECMATIC_GENERATIVE_TESTS: "true",
        MAX_TEST_REQUEST_COMBINATIONS: COMBINATIONS,
      },
      stdio: ["ignore", "pipe", "inherit"],
      timeout: LIMIT_MS,
    });
    const exit = once(tester, "exit") as Promise<[number | null]>;
    const { operations, failed } = await follow(tester.stdout);
    const [status] = await exit;
    const documented = Object.values(document.paths).flatMap((path) => Object.keys(path)).length;
    console.log(
      `${operations.size} of ${documented} operations were tested; ${failed} tests failed`,
    );
    if (status === null) console.error(`it took longer than ${LIMIT_MS / 1000} s`);
    return status === 0 && failed === 0 && operations.size === documented;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (spawnSync("java", ["-version"]).status !== 0) {
  console.error("test:contract needs Java 17 or newer, and there is no java here");
  process.exit(1);
}
const passed = await withServer(async (origin) => {
  const document = JSON.parse(readFileSync("openapi.json", "utf8")) as Document;
  const provision = new Provision(origin, await uploadImage(origin));
  return withStage(origin, { prepare: async (request) => provision.pass(request) }, async (stage) =>
    runSpecmatic(stage, document),
  );
});
if (!passed) process.exitCode = 1;
