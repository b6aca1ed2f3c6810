// Code that must not compile. A suppression that is not needed is an error, so `npm run check` fails if a rule is lost.
import * as v from "valibot";
import { implement } from "../../src/http/implement.ts";
import { fail } from "../../src/http/handler.ts";
import type { Replay } from "../../src/http/handler.ts";
import { operation } from "../../src/http/operation.ts";

const facts = {
  id: "thing",
  access: "anyone",
  success: v.object({ name: v.string() }),
  errors: { missing: [404, "Thing not found"] },
} as const;
const plain = operation(facts);
const tagged = operation({ ...facts, etag: true });
const shown = operation({ ...facts, etag: true, showsItem: true });
const repeated = operation({ ...facts, idempotent: true });
const both = operation({ ...facts, etag: true, idempotent: true });

// @ts-expect-error -- an operation with parameters says what an invalid one means
operation({ ...facts, params: v.object({ id: v.string() }) });
// @ts-expect-error -- one with a body says what an invalid one means
operation({ ...facts, body: { schema: v.object({}) } });

const body = { name: "Rex" };
const bare = async () => ({ body });
const replay: Replay<typeof repeated> = { creates: null, answer: () => ({ body }) };

implement(plain, bare);
implement(plain, async () => fail("missing"));
// @ts-expect-error -- an error is declared
implement(plain, async () => fail("taken"));
implement(tagged, async () => ({ body, version: 1 }));
implement(shown, async () => ({ body, version: 1, id: 1 }));
implement(repeated, bare, replay);

// @ts-expect-error -- an operation with an ETag has a version
implement(tagged, bare);
// A handler can serve an operation without an ETag, too.
implement(plain, async () => ({ body, version: 1 }));
// @ts-expect-error -- one that shows an item names it
implement(shown, async () => ({ body, version: 1 }));
// @ts-expect-error -- one that is idempotent replays
implement(repeated, bare);
// @ts-expect-error -- one that is not does not
implement(plain, bare, replay);
// @ts-expect-error -- a replay tells the version too
implement(both, async () => ({ body, version: 1 }), replay);
