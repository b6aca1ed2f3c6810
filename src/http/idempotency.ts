import { Repeated } from "../db/client.ts";
import { findDone } from "../db/idempotency-keys.ts";
import type { Claim, Mark } from "../db/claims.ts";
import type { Principal } from "../services.ts";
import { hmac, sha256 } from "../platform/crypto.ts";
import { keyringOf } from "../platform/keys.ts";
import { Unavailable } from "../platform/failures.ts";
import { clientAddress } from "./address.ts";
import { ApiError } from "./errors.ts";
import type { Call, Handler, Replay } from "./handler.ts";
import type { Operation } from "./operation.ts";

// https://www.ietf.org/archive/id/draft-ietf-httpapi-idempotency-key-header-07.html, except that a retry never waits for
// the first request: claim and work are one atomic batch, so a retry either does the work or finds it done.

const HEADER = "Idempotency-Key";

/** Printable ASCII without white space at the ends. Quotes are part of the key. */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** How often to try a request whose key is taken at first, and gone when its answer is looked up. */
const MAX_RUNS = 3;

const INVALID = { path: HEADER, message: "must have 1 to 255 printable ASCII characters" };

/**
 * Makes sure that a request with an idempotency key is done once.
 * @param handler makes at most one write to the database of its call
 * @param replay answers a retry
 */
export async function doOnce<Op extends Operation, Here>(
  operation: Op,
  call: Call<Op> & Here,
  handler: Handler<Op, Here>,
  replay: Replay<Op>,
): ReturnType<Handler<Op>> {
  const key = call.headers.get(HEADER);
  // A script whose variable is unset sends an empty header.
  if (!key) return handler(call);
  if (!KEY.test(key)) throw ApiError.general("invalidKey", { errors: [INVALID] });
  const claim = await claimOf(operation, call, key, replay.creates);
  for (let runs = 0; runs < MAX_RUNS; runs++) {
    try {
      return await handler({ ...call, db: call.db.claiming(claim) });
    } catch (error) {
      if (!(error instanceof Repeated)) throw error;
    }
    const done = await findDone(call.db, claim);
    if (done && !done.isSame) throw ApiError.general("reusedKey");
    if (done && !replay.creates) return replay.answer(call, done.ids);
    if (done?.created && replay.creates) return replay.answer(call, done.created);
    // The key is gone, because it expired or the sandbox was reset. So this is a new request.
  }
  throw new Unavailable("an idempotency key was taken and forgotten in every attempt");
}

/**
 * The claim of a request: its key, for this caller only, and its parsed content, so that spelling does not matter. Both are
 * HMACs, because the content may have a password and the caller is private.
 */
async function claimOf<Op extends Operation>(
  { id }: Op,
  { params, query, body, headers, principal, settings, now }: Call<Op>,
  key: string,
  creates: Claim["creates"],
): Promise<Claim> {
  const { all } = await keyringOf(settings.passwordKeys);
  const sent = JSON.stringify(["idempotency key", callerOf(principal, headers), key]);
  const asked = JSON.stringify(["idempotent request", id, params, query, await withDigests(body)]);
  const marks = all.map(async ({ marking }): Promise<Mark> => ({
    key: (await hmac(marking, sent)).toHex(),
    request: (await hmac(marking, asked)).toHex(),
  }));
  return { marks: await Promise.all(marks), creates, now: now() };
}

/** The owner of a key. A user remains the owner in every session and under a new name (interface §6.8). */
function callerOf(principal: Principal | undefined, headers: Headers): readonly string[] {
  if (!principal) return ["address", clientAddress(headers)];
  return principal.kind === "user" ? ["user", principal.accountId] : ["api key"];
}

/** The members of a body, with each file replaced by its name and digest. */
async function withDigests(body: unknown): Promise<unknown> {
  const members = Object.entries(body ?? {}).map(async ([name, value]: [string, unknown]) => [
    name,
    value instanceof File ? [value.name, (await sha256(await value.bytes())).toHex()] : value,
  ]);
  return Object.fromEntries(await Promise.all(members));
}
