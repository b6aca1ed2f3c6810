// What `npm run test:own` leaves out, and why. Everything else runs on both engines.

/** Files, by their pattern. */
export const D1_ONLY_FILES: Readonly<Record<string, string>> = {
  "test/clients/**":
    "generated clients and their examples, against the documents of the shared store",
  "test/conformance.test.ts": "reads the pages, and asks no store",
  "test/openapi*.test.ts": "about the documents, and asks no store",
  "test/own/**": "about stores of one's own; makes them itself, beside the shared one",
  "test/unavailable.test.ts": "about retries, and asks no store",
  "test/db/**": "statements, triggers and costs in rows, as D1 runs and counts them",
  "test/migrations.test.ts": "about migrations that wrangler applies to D1",
  "test/http/bookmarks.test.ts": "about bookmarks and replicas, which only D1 has",
  "test/keys.test.ts": "about the rotation of keys, which counts in the tables of D1",
  "test/settings.test.ts": "about settings of the Worker, which fail before a store is chosen",
  "test/pet/image-outbox.test.ts": "about the hourly run, which is for D1",
  "test/http/log.test.ts": "about the log of the Worker and the faults of D1 in it",
  "test/properties/broken-requests.test.ts": "counts the rows that D1 says it wrote",
};

/** Tests of other files, by the file and how the full name begins. */
export const D1_ONLY_TESTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "test/idempotency.test.ts": {
    "the scheduled run prunes": "the hourly run is for D1",
    "a repeat that brings a bookmark": "only D1 has bookmarks",
  },
  "test/http/routing.test.ts": {
    "a path > outside": "about paths outside any store",
  },
  "test/pet/paging.test.ts": {
    "the cost of a page": "the cost in rows, as D1 counts them",
  },
  "test/pet/page-bytes.test.ts": {
    "a list without a limit > reads two rows": "the cost in rows, as D1 counts them",
  },
  "test/pet/images.test.ts": {
    "a pet has room for 100 images": "a store of one's own has room for no more, all pets together",
  },
};
