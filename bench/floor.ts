// The floor: the least that a Worker can do and still give the same answers. No framework, no validation,
// no retries, no rate limit. It sends the statements of src/ (bench/sql.ts takes their text from there) and
// returns the same bytes, headers included.
import type { Sql } from "./sql.ts";

interface FloorEnv extends Env {
  readonly SQL: Sql;
}

/** A row of any table, or the members of a body. */
type Row = Readonly<Record<string, string | number | null>>;
type Body = Readonly<Record<string, unknown>>;

const EXPOSED =
  "X-Rate-Limit, X-Expires-After, ETag, Link, Retry-After, x-d1-bookmark, x-request-id";
const encoder = new TextEncoder();

/** The columns hold JSON, so they go into the answer as they are. */
function petJson({ id, category, name, photoUrls, tags, status }: Row): string {
  return `{"id":${id}${category === null ? "" : `,"category":${category}`},"name":${JSON.stringify(name)},"photoUrls":${photoUrls}${tags === null ? "" : `,"tags":${tags}`}${status === null ? "" : `,"status":"${status}"`}}`;
}

function orderJson({ id, petId, quantity, shipDate, status, complete }: Row): string {
  return `{"id":${id}${petId === null ? "" : `,"petId":${petId}`}${quantity === null ? "" : `,"quantity":${quantity}`}${shipDate === null ? "" : `,"shipDate":"${shipDate}"`}${status === null ? "" : `,"status":"${status}"`}${complete === null ? "" : `,"complete":${complete === 1}`}}`;
}

const orNull = (member: unknown) => (member === undefined ? null : JSON.stringify(member));

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

/** The answer that shows one resource, with its version; or the status that there is none. */
function resource(
  db: D1DatabaseSession,
  [row]: readonly Row[],
  { json, none, location }: { json: (row: Row) => string; none: number; location?: string },
): Response {
  if (!row) return new Response(null, { status: none });
  return answer(db, json(row), {
    ETag: `"${row["version"]}"`,
    ...(location !== undefined && { "Content-Location": `${location}${row["id"]}` }),
  });
}

async function rows(db: D1DatabaseSession, sql: string, values: unknown[]): Promise<Row[]> {
  const bound = db.prepare(sql).bind(...values);
  return (await bound.all<Row>()).results;
}

/** A page by id. It reads one more row than asked for, to find out whether there is a next page. */
function page(db: D1DatabaseSession, url: URL, found: Row[], limit: number): Response {
  const shown = found.length > limit ? found.slice(0, limit) : found;
  const body = `[${shown.map(petJson).join(",")}]`;
  const last = shown.at(-1);
  if (!last || found.length <= limit) return answer(db, body, undefined);
  url.searchParams.set("after", String(last["id"]));
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
  const [user] = await rows(db, env.SQL.userByName, [username]);
  if (!user) return new Response(null, { status: 400 });
  // The sealed password begins after the id of the key.
  const sealed = Uint8Array.fromBase64(String(user["sealedPassword"]).slice(17));
  const stored = await crypto.subtle.decrypt(
    {
      name: "AES-GCM",
      iv: sealed.subarray(0, 12),
      additionalData: encoder.encode(String(user["credentialId"])),
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
    JSON.stringify({ userId: user["id"], credentialId: user["credentialId"], expiresAt }),
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
    const pet = await request.json<Body>();
    const { id, name, category, photoUrls, tags, status = null } = pet;
    const members = [orNull(category), name, orNull(photoUrls), orNull(tags), status];
    const found =
      request.method === "POST"
        ? await rows(db, env.SQL.newPet, [null, ...members])
        : await rows(db, env.SQL.replacedPet, [...members, id, null, null, null]);
    return resource(db, found, { json: petJson, none: 404, location: "/v2/pet/" });
  }
  if (path === "/v2/pet/findByStatus") {
    const limit = Number(url.searchParams.get("limit"));
    const after = Number(url.searchParams.get("after"));
    const statuses = JSON.stringify([url.searchParams.get("status")]);
    const values = [statuses, after, limit + 1];
    return page(db, url, await rows(db, env.SQL.petsByStatus, values), limit);
  }
  if (path === "/v2/pet/findByTags") {
    const limit = Number(url.searchParams.get("limit"));
    const after = Number(url.searchParams.get("after"));
    const tags = JSON.stringify([url.searchParams.get("tags")]);
    const values = [tags, after, limit + 1];
    return page(db, url, await rows(db, env.SQL.petsByTag, values), limit);
  }
  if (path === "/v2/store/inventory") {
    const found = await rows(db, env.SQL.inventory, []);
    const counted = found.map(({ status, quantity }) => [status, quantity]);
    const none = { available: 0, pending: 0, sold: 0 };
    return answer(db, JSON.stringify({ ...none, ...Object.fromEntries(counted) }), undefined);
  }
  if (path === "/v2/store/order") {
    const order = await request.json<Body>();
    const { petId = null, quantity = null, shipDate = null, status = null, complete } = order;
    const isComplete = complete === undefined ? null : Number(complete);
    // The order has no id of its own, and belongs to nobody.
    const values = [null, petId, quantity, shipDate, status, isComplete, null, null, null, null];
    const found = await rows(db, env.SQL.newOrder, values);
    return resource(db, found, { json: orderJson, none: 400, location: "/v2/store/order/" });
  }
  if (path === "/v2/user/login") return login(env, db, url);
  if (path.startsWith("/v2/pet/")) {
    const id = Number(path.slice("/v2/pet/".length));
    return resource(db, await rows(db, env.SQL.petById, [id]), { json: petJson, none: 404 });
  }
  return new Response(null, { status: 404 });
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the Worker from it
export default { fetch: serve };
