// The part of Cloudflare's API that `npm run deploy` calls, as wrangler's own requests show it: an account in memory. Its
// databases are SQLite's, so migrations are applied. A request that wrangler did not send when this was written is 404,
// and noted.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

const ACCOUNT = "0123456789abcdef0123456789abcdef";
/** Another account of the same person. */
const OTHER = "f".repeat(32);
const TOKEN = "a token of this test";
const SUBDOMAIN = "pets";
/** Wrangler reads what is between the dots. */
const JWT = `x.${Buffer.from("{}").toString("base64url")}.x`;

/** A Worker of the account. */
export interface Worker {
  readonly secrets: Map<string, string>;
  bindings: readonly Binding[];
  /** The files and settings of the last version. */
  modules: readonly File[];
  settings: Settings;
  versions: number;
}

/** A part of what is uploaded with the files. */
interface Settings {
  readonly compatibility_date: string;
  readonly assets: { readonly config: { readonly run_worker_first: string[] } };
  readonly bindings: readonly Binding[];
}

/** What a Worker is bound to. */
export interface Binding {
  readonly type: string;
  readonly name: string;
  readonly [member: string]: unknown;
}

/** What a request is answered. */
interface Reply {
  readonly status?: number;
  readonly result?: unknown;
  readonly code?: number;
  readonly message?: string;
}

const missing = (message: string, code = 10007): Reply => ({ status: 404, code, message });

const NO_WORKER = missing("This Worker does not exist on your account.");

/** An account of Cloudflare. */
export class Account {
  readonly databases = new Map<string, { readonly uuid: string; readonly db: DatabaseSync }>();
  readonly namespaces = new Map<string, string>();
  readonly buckets = new Set<string>();
  readonly workers = new Map<string, Worker>();
  readonly files = new Set<string>();
  readonly crons: string[] = [];
  readonly unknown: string[] = [];
  /** What the preview `try` is bound to. */
  preview: readonly Binding[] = [];
  /** Called with each version before its upload is answered. */
  uploaded: (worker: Worker) => Promise<void> = async () => undefined;
  readonly #server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { pathname } = new URL(request.url ?? "/", "http://api");
      const path = pathname.replace(/^\/client\/v4/, "").replace(`/accounts/${ACCOUNT}`, "");
      const target = `${request.method} ${decodeURIComponent(path)}`;
      const body = new Response(Buffer.concat(chunks), {
        headers: { "Content-Type": request.headers["content-type"] ?? "text/plain" },
      });
      const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
      const reply = await this.#answer(target, body, isKnown);
      const { status = 200, result = null, code, message } = reply;
      const errors = code === undefined ? [] : [{ code, message }];
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ success: errors.length === 0, errors, messages: [], result }));
    })();
  });

  /** Serves it on a free port. @returns what wrangler must be told to call it */
  async address(): Promise<Record<string, string>> {
    if (!this.#server.listening) {
      this.#server.listen(0, "127.0.0.1");
      await once(this.#server, "listening");
    }
    const { port } = this.#server.address() as AddressInfo;
    return {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
      CLOUDFLARE_API_TOKEN: TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    };
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const { db } of this.databases.values()) db.close();
  }

  async #answer(target: string, body: Response, isKnown: boolean): Promise<Reply> {
    if (!isKnown && target !== "POST /workers/assets/upload") {
      return { status: 403, code: 10000, message: "Authentication error" };
    }
    const [, general, varies = "", rest = ""] =
      /^(\S+ \/\w+\/\w+\/)([^/]+)(.*)$/.exec(target) ?? [];
    const answer = this.#routes[target] ?? this.#routes[`${general}*${rest}`];
    if (answer) return answer(varies, body);
    this.unknown.push(target);
    return missing(`no route for ${target}`);
  }

  /** Which request is answered how, with what varies of its path. */
  readonly #routes: Readonly<
    Record<string, (varies: string, body: Response) => Reply | Promise<Reply>>
  > = {
    "GET /accounts": () => ({ result: [ACCOUNT, OTHER].map((id) => ({ id, name: id })) }),
    "GET /memberships": () => ({ result: [ACCOUNT, OTHER].map((id) => ({ account: { id } })) }),
    "GET /d1/database": () => ({ result: this.#databases() }),
    "POST /d1/database": async (_, body) => {
      const { name } = (await body.json()) as { name: string };
      const uuid = randomUUID();
      this.databases.set(name, { uuid, db: new DatabaseSync(":memory:") });
      return { result: { name, uuid } };
    },
    "GET /d1/database/*": (wanted) => {
      const found = this.#databases().find(({ name, uuid }) => [name, uuid].includes(wanted));
      return found ? { result: found } : missing("no database", 7404);
    },
    "POST /d1/database/*/query": async (uuid, body) => this.#query(uuid, body),

    "GET /storage/kv/namespaces": () => ({
      result: [...this.namespaces].map(([title, id]) => ({ title, id })),
    }),
    "POST /storage/kv/namespaces": async (_, body) => {
      const { title } = (await body.json()) as { title: string };
      const id = randomUUID().replaceAll("-", "");
      this.namespaces.set(title, id);
      return { result: { title, id } };
    },
    "GET /r2/buckets": () => ({
      result: { buckets: [...this.buckets].map((name) => ({ name })) },
    }),
    "GET /r2/buckets/*": (name) =>
      this.buckets.has(name) ? { result: { name } } : missing("no bucket", 10006),
    "POST /r2/buckets": async (_, body) => {
      const { name } = (await body.json()) as { name: string };
      this.buckets.add(name);
      return { result: { name } };
    },

    "GET /workers/scripts/*/secrets": (name) => {
      const worker = this.workers.get(name);
      if (!worker) return NO_WORKER;
      const secrets = [...worker.secrets.keys()];
      return { result: secrets.map((key) => ({ name: key, type: "secret_text" })) };
    },
    "GET /workers/services/*": (name) =>
      this.workers.has(name)
        ? { result: { default_environment: { environment: "production", script: {} } } }
        : missing("This service does not exist on your account.", 10090),
    "GET /workers/scripts/*/deployments": () => ({ result: { deployments: [] } }),
    "POST /workers/scripts/*/assets-upload-session": async (_, body) => {
      const { manifest } = (await body.json()) as { manifest: Record<string, { hash: string }> };
      const hashes = Object.values(manifest).map(({ hash }) => hash);
      const wanted = hashes.filter((hash) => !this.files.has(hash));
      return { result: { jwt: JWT, buckets: wanted.length > 0 ? [wanted] : [] } };
    },
    "POST /workers/assets/upload": async (_, body) => {
      for (const hash of (await body.formData()).keys()) this.files.add(hash);
      return { result: { jwt: JWT } };
    },
    // The first version of a Worker is deployed as it is uploaded, each later one by a request of its own.
    "POST /workers/scripts/*/versions": async (name, body) => this.#upload(name, body),
    "POST /workers/scripts/*/deployments": () => ({ result: { id: randomUUID() } }),
    "PUT /workers/scripts/*": async (name, body) => this.#upload(name, body),
    "GET /workers/scripts/*/settings": (name) => {
      const worker = this.workers.get(name);
      return worker ? { result: { bindings: worker.bindings } } : NO_WORKER;
    },
    "PATCH /workers/scripts/*/script-settings": () => ({ result: {} }),
    "GET /workers/workers/*": (name) => ({
      result: { subdomain: { enabled: true, url: `https://${name}.${SUBDOMAIN}.workers.dev` } },
    }),
    "POST /workers/scripts/*/subdomain": () => ({
      result: { enabled: true, previews_enabled: true },
    }),
    "GET /workers/workers/*/previews/try": () => missing("no preview", 10025),
    "POST /workers/workers/*/previews": () => ({ result: { id: "try", name: "try", slug: "try" } }),
    "GET /workers/workers/*/previews/try/deployments/latest": () => missing("none", 10025),
    "POST /workers/workers/*/previews/try/deployments": async (_, body) => {
      const metadata = (await body.formData()).get("metadata") as string;
      const { env } = JSON.parse(metadata) as { env: Record<string, Omit<Binding, "name">> };
      this.preview = Object.entries(env).map(
        ([name, binding]) => ({ ...binding, name }) as Binding,
      );
      return { result: { env, urls: [`https://try-pet-store.${SUBDOMAIN}.workers.dev`] } };
    },
    "PUT /workers/scripts/*/schedules": async (_, body) => {
      const crons = (await body.json()) as { cron: string }[];
      this.crons.splice(0, Infinity, ...crons.map(({ cron }) => cron));
      return { result: { schedules: crons } };
    },
    "GET /workers/subdomain": () => ({ result: { subdomain: SUBDOMAIN } }),
  };

  #databases(): readonly { readonly name: string; readonly uuid: string }[] {
    return [...this.databases].map(([name, { uuid }]) => ({ name, uuid }));
  }

  async #query(uuid: string, body: Response): Promise<Reply> {
    const found = [...this.databases.values()].find((database) => database.uuid === uuid);
    if (!found) return missing("no database", 7404);
    const { sql } = (await body.json()) as { sql: string };
    const isRead = /^\s*(select|pragma)/i.test(sql);
    const results = isRead ? found.db.prepare(sql).all() : [];
    if (!isRead) found.db.exec(sql);
    return { result: [{ results, success: true, meta: { duration: 0 } }] };
  }

  async #upload(name: string, body: Response): Promise<Reply> {
    const form = await body.formData();
    const settings = JSON.parse(form.get("metadata") as string) as Settings;
    const worker = this.workers.get(name) ?? {
      secrets: new Map<string, string>(),
      bindings: [],
      modules: [],
      settings,
      versions: 0,
    };
    const bindings: Binding[] = [];
    for (const binding of settings.bindings) {
      const { type, name: key, text } = binding;
      const before = worker.bindings.find((each) => each.name === key);
      if (type === "inherit" && before === undefined) {
        return { status: 400, code: 10057, message: `inherit binding '${key}' is invalid` };
      }
      if (type === "secret_text") worker.secrets.set(key, String(text));
      // As with Cloudflare, nobody gets a secret back.
      if (type === "secret_text") bindings.push({ type, name: key });
      else bindings.push(type === "inherit" && before ? before : binding);
    }
    worker.bindings = bindings;
    worker.settings = settings;
    worker.modules = [...form.values()].filter((value) => value instanceof File);
    worker.versions++;
    this.workers.set(name, worker);
    await this.uploaded(worker);
    return {
      result: {
        id: randomUUID(),
        startup_time_ms: 1,
        metadata: { has_preview: true },
        resources: { script: { etag: "etag" } },
      },
    };
  }
}
