// What `npm test -- --mode sandbox` leaves out, with the reason. Everything else runs on both engines.

/** Files, by their pattern. */
export const D1_ONLY_FILES: Readonly<Record<string, string>> = {
  "test/clients/**":
    "generated clients and their examples, against the documents of the shared store",
  "test/conformance.test.ts": "reads the pages, and asks no store",
  "test/openapi*.test.ts": "about the documents, and asks no store",
  "test/sandbox/**": "about sandboxes; makes them itself, beside the shared store",
  "test/costs.test.ts": "counts the calls to D1 and KV; a sandbox gets each request in one call",
  "test/faults.test.ts": "about faults of D1 and KV; a sandbox has its database with it",
  "test/faults/**": "about faults of D1 and KV; a sandbox has its database with it",
  "test/failures.test.ts": "about retries, and asks no store",
  "test/db/**": "statements, triggers and costs in rows, as D1 runs and counts them",
  "test/migrations.test.ts": "about migrations that wrangler applies to D1",
  "test/http/bookmarks.test.ts": "about bookmarks and replicas, which only D1 has",
  "test/keys.test.ts": "about the rotation of keys, which counts in the tables of D1",
  "test/settings.test.ts": "about settings of the Worker, which fail before a store is chosen",
  "test/pet/image-outbox.test.ts": "about the hourly run, which is for D1",
  "test/http/log.test.ts": "about the log of the Worker and the faults of D1 in it",
  "test/properties/broken-requests.test.ts": "counts the rows that D1 says it wrote",
};

const COUNTS = "counts the calls to D1; a sandbox has its database with it";

/** Tests of other files, by the file and a part of the full name. */
export const D1_ONLY_TESTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "test/idempotency.test.ts": {
    "the scheduled run prunes": "the hourly run is for D1",
    "a repeat that brings a bookmark": "only D1 has bookmarks",
    "though the database's first answer is lost": "test/sandbox/faults.test.ts has it",
    "is forgotten before its answer is found": "comes between two calls to D1",
  },
  "test/http/preconditions.test.ts": {
    "an empty If-Match":
      "an empty header does not cross to an object, as it does not come from a client",
  },
  "test/http/responses.test.ts": {
    "every status that the documents": "a defect, 500, is tried in D1",
  },
  "test/http/routing.test.ts": {
    "a path > outside": "about paths outside any store",
  },
  "test/pet/paging.test.ts": {
    "the cost of a page": "the cost in rows, as D1 counts them",
    "a long list that is streamed": COUNTS,
  },
  "test/pet/page-bytes.test.ts": {
    "a list without a limit": COUNTS,
  },
  "test/pet/streaming.test.ts": {
    "a list that ends with a page": COUNTS,
    "a slow client is not read ahead": "test/sandbox/life.test.ts has it",
  },
  "test/pet/images.test.ts": {
    "a pet has room for 100 images": "a sandbox has room for no more, all pets together",
    "of D1 that lasts after the URL was stored": "about faults of D1",
  },
  "test/user/logout.test.ts": {
    "costs ten calls to KV": "a sandbox has its sessions with it",
    "makes a call to KV for each": "a sandbox has its sessions with it",
  },
};
