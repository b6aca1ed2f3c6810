// The requests that the benchmarks send.

/** A request of a workload. */
export interface Asked {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: string;
}

/** Workloads of a kind share a target. */
export type Kind = "reads" | "pages" | "writes" | "logins";

export interface Workload {
  readonly name: string;
  readonly kind: Kind;
  /** The request with this number, to a store with this many pets. */
  readonly request: (number: number, pets: number) => Asked;
}

const get = (path: string): Asked => ({ method: "GET", path });

const STATUSES = ["available", "pending", "sold"];

/** The pet with this id, as the interface shows it. Every fifth has the tag "dog". */
export function petOf(id: number) {
  return {
    id,
    category: { id: (id % 7) + 1, name: "Dogs" },
    name: `Rex ${id}`,
    photoUrls: [`https://pets.example/${id}.png`],
    tags: [
      { id: 1, name: id % 5 === 0 ? "dog" : "cat" },
      { id: 2, name: `group-${id % 100}` },
    ],
    status: STATUSES[id % 3],
  };
}

const created = (number: number) => JSON.stringify({ ...petOf(number), id: undefined });

/** The pet with another name, and usually another status. */
const updated = (id: number, number: number) =>
  JSON.stringify({ ...petOf(id), name: `Rex ${number}`, status: STATUSES[number % 3] });

const order = JSON.stringify({
  petId: 1,
  quantity: 2,
  shipDate: "2026-12-01T09:30:00.000Z",
  status: "placed",
  complete: false,
});

/** Scatters the numbers over 1 to `count`, the same in every run. */
const scattered = (number: number, count: number) => ((number * 7919) % count) + 1;

/** The cursor of a page: early enough that even a store of a thousand pets fills the page. */
const start = (number: number, pets: number) => scattered(number, Math.floor(pets / 2));

export const WORKLOADS: readonly Workload[] = [
  {
    name: "get a pet",
    kind: "reads",
    request: (number, pets) => get(`/v2/pet/${scattered(number, pets)}`),
  },
  {
    name: "create",
    kind: "writes",
    request: (number) => ({ method: "POST", path: "/v2/pet", body: created(number) }),
  },
  {
    name: "update",
    kind: "writes",
    request: (number, pets) => ({
      method: "PUT",
      path: "/v2/pet",
      body: updated(scattered(number, pets), number),
    }),
  },
  {
    name: "page of 100 by status",
    kind: "pages",
    request: (number, pets) =>
      get(`/v2/pet/findByStatus?status=available&limit=100&after=${start(number, pets)}`),
  },
  {
    name: "page of 100 by tag",
    kind: "pages",
    request: () => get("/v2/pet/findByTags?tags=dog&limit=100&after=0"),
  },
  { name: "inventory", kind: "reads", request: () => get("/v2/store/inventory") },
  {
    name: "order",
    kind: "writes",
    request: () => ({ method: "POST", path: "/v2/store/order", body: order }),
  },
  {
    name: "login",
    kind: "logins",
    request: () => get("/v2/user/login?username=ada&password=correct%20horse"),
  },
];
