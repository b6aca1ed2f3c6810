// A fake of Cloudflare's API for `npm run deploy`: one account in memory. SQLite runs the migrations. Requests without a
// route below succeed with an empty result.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { buffer } from "node:stream/consumers";

const ACCOUNT = "0123456789abcdef0123456789abcdef";
const TOKEN = "the token of this test";

/** A resource that the Worker is bound to, or a setting. */
interface Binding {
  readonly type: string;
  readonly name: string;
  readonly [property: string]: unknown;
}

interface Database {
  readonly name: string;
  readonly uuid: string;
  readonly db: DatabaseSync;
}

interface Reply {
  readonly status?: number;
  readonly result?: unknown;
  readonly code?: number;
  readonly message?: string;
}

/** Handles a request. @param name the variable segment of the path */
type Route = (name: string, body: Response) => Reply | Promise<Reply>;

const missing = (code: number, message: string): Reply => ({ status: 404, code, message });
const NO_WORKER = missing(10007, "This Worker does not exist on your account.");

export class Account {
  readonly databases: Database[] = [];
  readonly namespaces = new Map<string, string>();
  readonly buckets = new Set<string>();
  readonly secrets = new Map<string, string>();
  /** The Worker's bindings, once it is uploaded. */
  bindings: readonly Binding[] | undefined;

  readonly #server = createServer((request, response) => {
    void (async () => {
      const body = new Response(await buffer(request), {
        headers: { "Content-Type": request.headers["content-type"] ?? "text/plain" },
      });
      const { pathname } = new URL(request.url ?? "/", "http://api");
      const path = pathname.replace("/client/v4", "").replace(`/accounts/${ACCOUNT}`, "");
      const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
      const { status, result, code, message } = isKnown
        ? await this.#respond(`${request.method} ${path}`, body)
        : { status: 403, code: 10000, message: "Authentication error" };
      const errors = code === undefined ? [] : [{ code, message }];
      response.writeHead(status ?? 200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ success: errors.length === 0, errors, messages: [], result }));
    })();
  });

  /** Serves the API on a free port. @returns the environment variables that make wrangler use it */
  async listen(): Promise<Record<string, string>> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    const { port } = this.#server.address() as AddressInfo;
    return {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
      CLOUDFLARE_API_TOKEN: TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    };
  }

  close(): void {
    this.#server.close();
    for (const { db } of this.databases) db.close();
  }

  async #respond(target: string, body: Response): Promise<Reply> {
    const [, before, name = "", after] = /^(\S+ \/\w+\/\w+\/)([^/]+)(.*)$/.exec(target) ?? [];
    const route = this.#routes[target] ?? this.#routes[`${before}*${after}`];
    return route ? route(name, body) : { result: {} };
  }

  readonly #routes: Readonly<Record<string, Route>> = {
    "GET /accounts": () => ({ result: [{ id: ACCOUNT, name: "an account" }] }),
    "GET /memberships": () => ({ result: [{ account: { id: ACCOUNT } }] }),
    "GET /d1/database": () => ({
      result: this.databases.map(({ name, uuid }) => ({ name, uuid })),
    }),
    "POST /d1/database": async (_, body) => {
      const { name } = (await body.json()) as { name: string };
      const uuid = randomUUID();
      this.databases.push({ name, uuid, db: new DatabaseSync(":memory:") });
      return { result: { name, uuid } };
    },
    "GET /d1/database/*": (wanted) => {
      const { name, uuid } = this.#database(wanted) ?? {};
      return name === undefined ? missing(7404, "no database") : { result: { name, uuid } };
    },
    "POST /d1/database/*/query": async (wanted, body) => {
      const { sql } = (await body.json()) as { sql: string };
      const db = this.#database(wanted)?.db;
      const isRead = /^\s*(select|pragma)/i.test(sql);
      if (!isRead) db?.exec(sql);
      const results = isRead ? db?.prepare(sql).all() : [];
      return { result: [{ results, success: true, meta: { duration: 0 } }] };
    },
    "GET /storage/kv/namespaces": () => ({
      result: [...this.namespaces].map(([title, id]) => ({ title, id })),
    }),
    "POST /storage/kv/namespaces": async (_, body) => {
      const { title } = (await body.json()) as { title: string };
      const id = randomUUID();
      this.namespaces.set(title, id);
      return { result: { title, id } };
    },
    "GET /r2/buckets": () => ({
      result: { buckets: [...this.buckets].map((name) => ({ name })) },
    }),
    "GET /r2/buckets/*": (name) => (this.buckets.has(name) ? { result: { name } } : missing(10006, "no bucket")),
    "POST /r2/buckets": async (_, body) => {
      const { name } = (await body.json()) as { name: string };
      this.buckets.add(name);
      return { result: {} };
    },
    "GET /workers/scripts/*/secrets": () =>
      this.bindings ? { result: [...this.secrets.keys()].map((name) => ({ name, type: "secret_text" })) } : NO_WORKER,
    "GET /workers/services/*": () =>
      this.bindings
        ? { result: { default_environment: { environment: "production", script: {} } } }
        : missing(10090, "This service does not exist on your account."),
    "GET /workers/scripts/*/settings": () => (this.bindings ? { result: { bindings: this.bindings } } : NO_WORKER),
    "GET /workers/scripts/*/deployments": () => ({ result: { deployments: [] } }),
    // An empty list of buckets means that Cloudflare already has all files.
    "POST /workers/scripts/*/assets-upload-session": () => ({
      result: { jwt: "a.b.c", buckets: [] },
    }),
    // wrangler uploads the first version with PUT, and later versions with POST.
    "PUT /workers/scripts/*": async (_, body) => this.#upload(body),
    "POST /workers/scripts/*/versions": async (_, body) => this.#upload(body),
    "GET /workers/subdomain": () => ({ result: { subdomain: "pets" } }),
    "GET /workers/workers/*": () => ({
      result: { subdomain: { enabled: true, url: "https://pet-store.pets.workers.dev" } },
    }),
  };

  #database(wanted: string): Database | undefined {
    return this.databases.find(({ name, uuid }) => [name, uuid].includes(wanted));
  }

  async #upload(body: Response): Promise<Reply> {
    const metadata = (await body.formData()).get("metadata") as string;
    const { bindings } = JSON.parse(metadata) as { readonly bindings: readonly Binding[] };
    const before = this.bindings ?? [];
    this.bindings = bindings.map((binding) => {
      const { type, name, text } = binding;
      if (type === "secret_text") this.secrets.set(name, String(text));
      return (type === "inherit" && before.find((each) => each.name === name)) || binding;
    });
    return { result: { id: randomUUID(), startup_time_ms: 1, metadata: { has_preview: true } } };
  }
}
