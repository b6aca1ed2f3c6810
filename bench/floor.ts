// The floor: the least that a Worker must do to return the same responses, including headers, with its own SQL. It has no
// framework, no validation, no retries and no rate limit. Passwords and sessions are those of src/.
import { isSameSecret, decryptPassword, type Credential } from "../src/auth/passwords.ts";
import { beginSession } from "../src/auth/sessions.ts";

type Row = Readonly<Record<string, string | number | null>>;

const PET = "id, category, name, photoUrls, tags, status, version";
const ORDER = "id, petId, quantity, shipDate, status, complete, version";
const NEXT = "(select next from id_sequences where resource = ?1)";
const SQL = {
  petById: `select ${PET} from pets where id = ?1`,
  newPet: `insert into pets (id, category, name, photoUrls, tags, status)
    values (${NEXT}, ?2, ?3, ?4, ?5, ?6) returning ${PET}`,
  replacedPet: `update pets set category = ?2, name = ?3, photoUrls = ?4, tags = ?5, status = ?6,
    version = version + 1 where id = ?1 returning ${PET}`,
  byStatus: `select ${PET} from pets where status = ?1 and id > ?2 order by id limit ?3`,
  byTag: `select ${PET} from pet_tags join pets on id = petId
    where tag = ?1 and petId > ?2 order by petId limit ?3`,
  inventory: "select status, quantity from inventory",
  newOrder: `insert into orders (id, petId, quantity, shipDate, status, complete) values (
    coalesce((select min(value) from json_each('[1,2,3,4,5,6,7,8,9,10]')
      where value not in (select id from orders where id <= 10)), ${NEXT}),
    ?2, ?3, ?4, ?5, ?6) returning ${ORDER}`,
  userByName: "select * from users where username = ?1",
};

const HEADERS = {
  "Content-Type": "application/json",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "*",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Origin-Agent-Cluster": "?1",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "SAMEORIGIN",
};

function respond(db: D1DatabaseSession, body: string, more: Record<string, string> = {}): Response {
  const cache = more["ETag"] ? "private, no-cache, no-transform" : "private, no-cache";
  return new Response(body, {
    headers: {
      ...HEADERS,
      "Cache-Control": cache,
      "x-d1-bookmark": db.getBookmark() ?? "",
      "X-Request-Id": crypto.randomUUID(),
      ...more,
    },
  });
}

/** Members that are JSON already, and members that are not. */
function json(row: Row, stored: readonly string[], plain: readonly string[]): string {
  const members = Object.entries(row).flatMap(([name, value]) => {
    if (value === null) return [];
    if (stored.includes(name)) return [`"${name}":${value}`];
    return plain.includes(name) ? [`"${name}":${JSON.stringify(value)}`] : [];
  });
  return `{${members.join(",")}}`;
}

const petJson = (row: Row) => json(row, ["category", "photoUrls", "tags"], ["id", "name", "status"]);
const orderJson = ({ complete = null, ...row }: Row) =>
  json(
    { ...row, complete: complete === null ? null : String(complete === 1) },
    ["complete"],
    ["id", "petId", "quantity", "shipDate", "status"],
  );

async function rows(db: D1DatabaseSession, sql: string, ...values: unknown[]): Promise<Row[]> {
  const statement = db.prepare(sql).bind(...values);
  return (await statement.all<Row>()).results;
}

function one(db: D1DatabaseSession, [row]: Row[], show: (row: Row) => string, location?: string) {
  if (!row) return new Response(null, { status: 404 });
  const at = location === undefined ? {} : { "Content-Location": `${location}${row["id"]}` };
  return respond(db, show(row), { ETag: `"${row["version"]}"`, ...at });
}

/** A page of pets. One more row than the limit tells whether there is a next page. */
async function page(db: D1DatabaseSession, url: URL, sql: string, name: string): Promise<Response> {
  const { searchParams } = url;
  const limit = Number(searchParams.get("limit"));
  const after = Number(searchParams.get("after"));
  const found = await rows(db, sql, searchParams.get(name), after, limit + 1);
  const shown = found.slice(0, limit);
  const body = `[${shown.map(petJson).join(",")}]`;
  if (found.length <= limit) return respond(db, body);
  searchParams.set("after", String(shown.at(-1)?.["id"]));
  return respond(db, body, { Link: `<${url.pathname}${url.search}>; rel="next"` });
}

async function login(env: Env, db: D1DatabaseSession, { searchParams }: URL): Promise<Response> {
  const [user] = await rows(db, SQL.userByName, searchParams.get("username"));
  const stored = user && (await decryptPassword([env.PASSWORD_KEY], user as unknown as Credential));
  if (!stored || !(await isSameSecret(searchParams.get("password") ?? "", stored))) {
    return new Response(null, { status: 400 });
  }
  const seconds = Number(env.SESSION_SECONDS);
  const owner = { id: Number(user["id"]), credentialId: String(user["credentialId"]) };
  const { token, expiresAt } = await beginSession(env.SESSIONS, owner, seconds);
  return respond(db, `{"code":200,"type":"unknown","message":"logged in user session:${token}"}`, {
    "Cache-Control": "no-store, no-transform",
    "Set-Cookie": `session=${token}; Max-Age=${seconds}; Path=/v2; HttpOnly; SameSite=Strict`,
    "X-Expires-After": new Date(expiresAt).toISOString(),
    "X-Rate-Limit": env.REQUESTS_PER_MINUTE,
  });
}

async function serve(request: Request, env: Env): Promise<Response> {
  const db = env.DB.withSession("first-primary");
  const url = new URL(request.url);
  const path = url.pathname;
  if (path === "/v2/pet") {
    const { id, category, name, photoUrls, tags, status } = await request.json<Record<string, unknown>>();
    const [sql, of] = request.method === "POST" ? [SQL.newPet, "pets"] : [SQL.replacedPet, id];
    const [categoryJson, urlsJson, tagsJson] = [category, photoUrls, tags].map((value) => JSON.stringify(value));
    return one(db, await rows(db, sql, of, categoryJson, name, urlsJson, tagsJson, status), petJson, "/v2/pet/");
  }
  if (path === "/v2/pet/findByStatus") return page(db, url, SQL.byStatus, "status");
  if (path === "/v2/pet/findByTags") return page(db, url, SQL.byTag, "tags");
  if (path === "/v2/store/inventory") {
    const counts = (await rows(db, SQL.inventory)).map((row) => [row["status"], row["quantity"]]);
    return respond(db, JSON.stringify(Object.fromEntries(counts)));
  }
  if (path === "/v2/store/order") {
    const { petId, quantity, shipDate, status, complete } = await request.json<Record<string, unknown>>();
    const values = [petId, quantity, shipDate, status, Number(complete)];
    return one(db, await rows(db, SQL.newOrder, "orders", ...values), orderJson, "/v2/store/order/");
  }
  if (path === "/v2/user/login") return login(env, db, url);
  return one(db, await rows(db, SQL.petById, Number(path.slice("/v2/pet/".length))), petJson);
}

export default { fetch: serve };
