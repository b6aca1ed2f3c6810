// The floor: the least that a Worker can do and still give the same answers. No framework, no validation,
// no retries, no rate limit. It sends the statements of src/ (bench/sql.ts takes their text from there) and
// returns the same bytes, headers included.
import type { Sql } from "./sql.ts";

interface FloorEnv extends Env {
  readonly SQL: Sql;
}

interface PetRow {
  readonly id: number;
  readonly category: string | null;
  readonly name: string;
  readonly photoUrls: string;
  readonly tags: string | null;
  readonly status: string | null;
  readonly version: number;
}

interface OrderRow {
  readonly id: number;
  readonly petId: number | null;
  readonly quantity: number | null;
  readonly shipDate: string | null;
  readonly status: string | null;
  readonly complete: number | null;
  readonly version: number;
}

interface UserRow {
  readonly id: number;
  readonly sealedPassword: string;
  readonly credentialId: string;
}

interface PetBody {
  readonly id?: number;
  readonly category?: unknown;
  readonly name: string;
  readonly photoUrls: unknown;
  readonly tags?: unknown;
  readonly status?: string;
}

interface OrderBody {
  readonly id?: number;
  readonly petId?: number;
  readonly quantity?: number;
  readonly shipDate?: string;
  readonly status?: string;
  readonly complete?: boolean;
}

const EXPOSED =
  "X-Rate-Limit, X-Expires-After, ETag, Link, Retry-After, x-d1-bookmark, x-request-id";
const encoder = new TextEncoder();

/** The columns hold JSON, so they go into the answer as they are. */
function petJson(row: PetRow): string {
  return `{"id":${row.id}${row.category === null ? "" : `,"category":${row.category}`},"name":${JSON.stringify(row.name)},"photoUrls":${row.photoUrls}${row.tags === null ? "" : `,"tags":${row.tags}`}${row.status === null ? "" : `,"status":"${row.status}"`}}`;
}

function orderJson(row: OrderRow): string {
  return `{"id":${row.id}${row.petId === null ? "" : `,"petId":${row.petId}`}${row.quantity === null ? "" : `,"quantity":${row.quantity}`}${row.shipDate === null ? "" : `,"shipDate":"${row.shipDate}"`}${row.status === null ? "" : `,"status":"${row.status}"`}${row.complete === null ? "" : `,"complete":${row.complete === 1}`}}`;
}

function orNull(member: unknown): string | null {
  return member === undefined ? null : JSON.stringify(member);
}

function answer(
  db: D1DatabaseSession,
  body: string,
  more: Readonly<Record<string, string>> | undefined,
): Response {
  return new Response(body, {
    headers: {
      "Content-Type": "application/json",
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": EXPOSED,
      "Cache-Control": more?.["ETag"] ? "private, no-cache, no-transform" : "private, no-cache",
      "x-d1-bookmark": db.getBookmark() ?? "",
      "X-Request-Id": crypto.randomUUID(),
      ...more,
    },
  });
}

async function rows<Row>(db: D1DatabaseSession, sql: string, values: unknown[]): Promise<Row[]> {
  return (
    await db
      .prepare(sql)
      .bind(...values)
      .all<Row>()
  ).results;
}

/** A page by id. It reads one more row than asked for, to find out whether there is a next page. */
function page(db: D1DatabaseSession, url: URL, found: PetRow[], limit: number): Response {
  const shown = found.length > limit ? found.slice(0, limit) : found;
  const body = `[${shown.map(petJson).join(",")}]`;
  const last = shown.at(-1);
  if (!last || found.length <= limit) return answer(db, body, undefined);
  url.searchParams.set("after", String(last.id));
  return answer(db, body, { Link: `<${url.pathname}${url.search}>; rel="next"` });
}

let passwordKey: Promise<CryptoKey> | undefined;

async function derivePasswordKey(text: string): Promise<CryptoKey> {
  const bytes = Uint8Array.fromBase64(text);
  const root = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  return crypto.subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: new Uint8Array(),
      info: encoder.encode("passwords"),
    },
    root,
    { name: "AES-GCM", length: 256 },
    false,
    ["decrypt"],
  );
}

async function login(env: FloorEnv, db: D1DatabaseSession, url: URL): Promise<Response> {
  const username = url.searchParams.get("username") ?? "";
  const password = encoder.encode(url.searchParams.get("password") ?? "");
  passwordKey ??= derivePasswordKey(env.PASSWORD_KEY);
  const [user] = await rows<UserRow>(db, env.SQL.userByName, [username]);
  if (!user) return new Response(null, { status: 400 });
  // The sealed password begins after the id of the key.
  const sealed = Uint8Array.fromBase64(user.sealedPassword.slice(17));
  const stored = await crypto.subtle.decrypt(
    {
      name: "AES-GCM",
      iv: sealed.subarray(0, 12),
      additionalData: encoder.encode(user.credentialId),
    },
    await passwordKey,
    sealed.subarray(12),
  );
  if (
    stored.byteLength !== password.byteLength ||
    !crypto.subtle.timingSafeEqual(stored, password)
  ) {
    return new Response(null, { status: 400 });
  }
  const token = crypto
    .getRandomValues(new Uint8Array(32))
    .toBase64({ alphabet: "base64url", omitPadding: true });
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(token));
  const seconds = Number(env.SESSION_SECONDS);
  const expiresAt = Date.now() + seconds * 1000;
  await env.SESSIONS.put(
    new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true }),
    JSON.stringify({ userId: user.id, credentialId: user.credentialId, expiresAt }),
    { expirationTtl: seconds },
  );
  return answer(db, `{"code":200,"type":"unknown","message":"logged in user session:${token}"}`, {
    "Cache-Control": "no-store",
    "Set-Cookie": `session=${token}; HttpOnly; SameSite=Strict; Path=/v2; Max-Age=${seconds}`,
    "X-Expires-After": new Date(expiresAt).toISOString(),
    "X-Rate-Limit": env.REQUESTS_PER_MINUTE,
  });
}

async function serve(request: Request, env: FloorEnv): Promise<Response> {
  const db = env.DB.withSession("first-primary");
  const url = new URL(request.url);
  const path = url.pathname;
  if (path === "/v2/pet") {
    const pet = await request.json<PetBody>();
    const members = [orNull(pet.category), pet.name, orNull(pet.photoUrls), orNull(pet.tags)];
    const status = pet.status ?? null;
    const [row] =
      request.method === "POST"
        ? await rows<PetRow>(db, env.SQL.newPet, [null, ...members, status])
        : await rows<PetRow>(db, env.SQL.replacedPet, [
            ...members,
            status,
            pet.id,
            null,
            null,
            null,
          ]);
    return row
      ? answer(db, petJson(row), {
          ETag: `"${row.version}"`,
          "Content-Location": `/v2/pet/${row.id}`,
        })
      : new Response(null, { status: 404 });
  }
  if (path === "/v2/pet/findByStatus") {
    const limit = Number(url.searchParams.get("limit"));
    const after = Number(url.searchParams.get("after"));
    const statuses = JSON.stringify([url.searchParams.get("status")]);
    const values = [statuses, after, limit + 1];
    return page(db, url, await rows<PetRow>(db, env.SQL.petsByStatus, values), limit);
  }
  if (path === "/v2/pet/findByTags") {
    const limit = Number(url.searchParams.get("limit"));
    const after = Number(url.searchParams.get("after"));
    const tags = JSON.stringify([url.searchParams.get("tags")]);
    const values = [tags, after, limit + 1];
    return page(db, url, await rows<PetRow>(db, env.SQL.petsByTag, values), limit);
  }
  if (path === "/v2/store/inventory") {
    const count: Record<string, number> = { available: 0, pending: 0, sold: 0 };
    for (const row of await rows<{ status: string; quantity: number }>(db, env.SQL.inventory, [])) {
      count[row.status] = row.quantity;
    }
    return answer(db, JSON.stringify(count), undefined);
  }
  if (path === "/v2/store/order") {
    const order = await request.json<OrderBody>();
    const [row] = await rows<OrderRow>(db, env.SQL.newOrder, [
      null,
      order.petId ?? null,
      order.quantity ?? null,
      order.shipDate ?? null,
      order.status ?? null,
      order.complete === undefined ? null : Number(order.complete),
      null,
      // The order belongs to nobody.
      null,
      null,
      null,
    ]);
    return row
      ? answer(db, orderJson(row), {
          ETag: `"${row.version}"`,
          "Content-Location": `/v2/store/order/${row.id}`,
        })
      : new Response(null, { status: 400 });
  }
  if (path === "/v2/user/login") return login(env, db, url);
  if (path.startsWith("/v2/pet/")) {
    const [row] = await rows<PetRow>(db, env.SQL.petById, [Number(path.slice("/v2/pet/".length))]);
    return row
      ? answer(db, petJson(row), { ETag: `"${row.version}"` })
      : new Response(null, { status: 404 });
  }
  return new Response(null, { status: 404 });
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the Worker from it
export default { fetch: serve };
