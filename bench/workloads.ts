// The requests that the benchmark sends.

/** A request, below `/v2`. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Workloads of a kind share a limit. */
export type Kind = "reads" | "pages" | "writes" | "logins";

const petOf = (id: number) => ({
  id,
  category: { id: (id % 7) + 1, name: "Dogs" },
  name: `Rex ${id}`,
  photoUrls: [`https://pets.example/${id}.png`],
  tags: [
    { id: 1, name: id % 5 === 0 ? "dog" : "cat" },
    { id: 2, name: `group-${id % 100}` },
  ],
  status: ["available", "pending", "sold"][id % 3],
});

/** Pets whose ids start at 1. */
export const petsUpTo = (last: number) => Array.from({ length: last }, (_, index) => petOf(index + 1));

export const USERS = [{ id: 1, username: "ada", password: "correct horse" }];

/** Scatters the numbers over 1 to `count`, the same in every run. */
const scattered = (number: number, count: number) => ((number * 7919) % count) + 1;

export const get = (path: string): Asked => ({ method: "GET", path });
const send = (method: string, path: string, members: object): Asked => ({
  method,
  path,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(members),
});

const ORDER = {
  petId: 1,
  quantity: 2,
  shipDate: "2026-12-01T09:30:00Z",
  status: "placed",
  complete: false,
};

/** Creates a pet, whose id the service chooses. */
export const CREATE = send("POST", "/pet", { ...petOf(1), id: undefined });

interface Workload {
  readonly name: string;
  readonly kind: Kind;
  /** The rows that D1 would give, for the CPU in isolation. */
  readonly rows: string;
  /** The request with this number, to a store with this many pets. */
  readonly request: (number: number, pets: number) => Asked;
}

export const WORKLOADS: readonly Workload[] = [
  {
    name: "get a pet",
    kind: "reads",
    rows: "select * from pets where id = 7",
    request: (number, pets) => get(`/pet/${scattered(number, pets)}`),
  },
  {
    name: "create a pet",
    kind: "writes",
    rows: "select id, version, category, name, photoUrls, tags, status from pets where id = 7",
    request: (number) => send("POST", "/pet", { ...petOf(number), id: undefined }),
  },
  {
    name: "update a pet",
    kind: "writes",
    rows: "select * from pets where id = 7",
    request: (number, pets) => send("PUT", "/pet", { ...petOf(scattered(number, pets)), name: `Rex ${number}` }),
  },
  {
    name: "page of 100 by status",
    kind: "pages",
    rows: "select id, category, name, photoUrls, tags, status from pets where status = 'sold' limit 101",
    request: (number, pets) => get(`/pet/findByStatus?status=available&limit=100&after=${scattered(number, pets / 2)}`),
  },
  {
    name: "page of 100 by tag",
    kind: "pages",
    rows: "select id, category, name, photoUrls, tags, status from pets limit 101",
    request: () => get("/pet/findByTags?tags=dog&limit=100&after=0"),
  },
  {
    name: "inventory",
    kind: "reads",
    rows: "select * from inventory",
    request: () => get("/store/inventory"),
  },
  {
    name: "place an order",
    kind: "writes",
    rows: "select 1 as id, 7 as version, 1 as petId, 2 as quantity, null as shipDate, 'placed' as status, 0 as complete",
    request: () => send("POST", "/store/order", ORDER),
  },
  {
    name: "log in",
    kind: "logins",
    rows: "select * from users",
    request: () => get("/user/login?username=ada&password=correct%20horse"),
  },
];
