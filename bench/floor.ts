// The floor: the least that a Worker must do to give the same answers, headers included. It has no framework,
// validation, retries or rate limit. Its statements (bench/sql.ts), passwords and sessions are those of src/.
import { isPassword } from "../src/user/passwords.ts";
import { beginSession, sessionsInKv } from "../src/user/sessions.ts";
import type { Credential } from "../src/user/user.ts";
import type { Sql, Statement } from "./sql.ts";

interface FloorEnv extends Env {
  readonly SQL: Sql;
}

/** A row of any table. */
type Row = Readonly<Record<string, string | number | null>>;
/** The members of a body, or the parameters of a statement by name. */
type Values = Readonly<Record<string, unknown>>;

const EXPOSED =
  "X-Rate-Limit, X-Expires-After, ETag, Link, Retry-After, x-d1-bookmark, x-request-id";

/** `category`, `photoUrls` and `tags` are stored as JSON. */
function petJson({ id, category, name, photoUrls, tags, status }: Row): string {
  return `{"id":${id}${category === null ? "" : `,"category":${category}`},"name":${JSON.stringify(name)},"photoUrls":${photoUrls}${tags === null ? "" : `,"tags":${tags}`}${status === null ? "" : `,"status":"${status}"`}}`;
}

function orderJson({ id, petId, quantity, shipDate, status, complete }: Row): string {
  return `{"id":${id}${petId === null ? "" : `,"petId":${petId}`}${quantity === null ? "" : `,"quantity":${quantity}`}${shipDate === null ? "" : `,"shipDate":"${shipDate}"`}${status === null ? "" : `,"status":"${status}"`}${complete === null ? "" : `,"complete":${complete === 1}`}}`;
}

const jsonOf = (member: unknown) => (member === undefined ? null : JSON.stringify(member));

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

/** The answer with one resource and its ETag. @param none the status if there is no row */
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

/** Runs a statement. Parameters without a value are NULL, but for constants. */
async function rows<Found = Row>(
  db: D1DatabaseSession,
  { text, names, sample }: Statement,
  values: Values = {},
): Promise<Found[]> {
  const bound = db
    .prepare(text)
    .bind(...names.map((name, at) => (name === null ? sample[at] : values[name]) ?? null));
  return (await bound.all<Found>()).results;
}

/** A page of pets. One more row than the limit shows whether there is a next page. */
async function page(
  db: D1DatabaseSession,
  url: URL,
  statement: Statement,
  filter: "status" | "tags",
): Promise<Response> {
  const limit = Number(url.searchParams.get("limit"));
  const after = Number(url.searchParams.get("after"));
  const wanted = JSON.stringify([url.searchParams.get(filter)]);
  const found = await rows(db, statement, { wanted, after, count: limit + 1 });
  const shown = found.length > limit ? found.slice(0, limit) : found;
  const body = `[${shown.map(petJson).join(",")}]`;
  const last = shown.at(-1);
  if (!last || found.length <= limit) return answer(db, body, undefined);
  url.searchParams.set("after", String(last["id"]));
  return answer(db, body, { Link: `<${url.pathname}${url.search}>; rel="next"` });
}

async function login(
  env: FloorEnv,
  db: D1DatabaseSession,
  { searchParams }: URL,
): Promise<Response> {
  const username = searchParams.get("username") ?? "";
  const [user] = await rows<Credential & Row>(db, env.SQL.userByName, { username });
  const isUser = await isPassword([env.PASSWORD_KEY], user, searchParams.get("password") ?? "");
  if (!user || !isUser) return new Response(null, { status: 400 });
  const seconds = Number(env.SESSION_SECONDS);
  const owner = { userId: Number(user["id"]), credentialId: user.credentialId };
  const sessions = sessionsInKv(env.SESSIONS, () => undefined);
  const { token, expiresAt } = await beginSession(sessions, owner, Date.now(), seconds);
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
    const pet = await request.json<Values>();
    const values = {
      ...pet,
      category: jsonOf(pet["category"]),
      photoUrls: jsonOf(pet["photoUrls"]),
      tags: jsonOf(pet["tags"]),
    };
    const statement = request.method === "POST" ? env.SQL.newPet : env.SQL.replacedPet;
    const found = await rows(db, statement, values);
    return resource(db, found, { json: petJson, none: 404, location: "/v2/pet/" });
  }
  if (path === "/v2/pet/findByStatus") return page(db, url, env.SQL.petsByStatus, "status");
  if (path === "/v2/pet/findByTags") return page(db, url, env.SQL.petsByTag, "tags");
  if (path === "/v2/store/inventory") {
    const found = await rows(db, env.SQL.inventory);
    const counted = found.map(({ status, quantity }) => [status, quantity]);
    const none = { available: 0, pending: 0, sold: 0 };
    return answer(db, JSON.stringify({ ...none, ...Object.fromEntries(counted) }), undefined);
  }
  if (path === "/v2/store/order") {
    const order = await request.json<Values>();
    const { complete } = order;
    const values = { ...order, complete: complete === undefined ? null : Number(complete) };
    const found = await rows(db, env.SQL.newOrder, values);
    return resource(db, found, { json: orderJson, none: 400, location: "/v2/store/order/" });
  }
  if (path === "/v2/user/login") return login(env, db, url);
  if (path.startsWith("/v2/pet/")) {
    const id = Number(path.slice("/v2/pet/".length));
    return resource(db, await rows(db, env.SQL.petById, { id }), { json: petJson, none: 404 });
  }
  return new Response(null, { status: 404 });
}

// oxlint-disable-next-line import/no-default-export -- workerd requires it
export default { fetch: serve };
