// The requests that every contestant gets.

/** A request of a workload. */
export interface Asked {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: string;
}

export interface Workload {
  readonly name: string;
  /** The request of this number, over a store with this many pets. */
  readonly request: (number: number, pets: number) => Asked;
}

const get = (path: string): Asked => ({ method: "GET", path });

const STATUSES = ["available", "pending", "sold"];

/** A pet of the store, in the form of the interface; every fifth has the tag "dog". */
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

/** Another name, and another status most of the time. */
const updated = (id: number, number: number) =>
  JSON.stringify({ ...petOf(id), name: `Rex ${number}`, status: STATUSES[number % 3] });

const order = JSON.stringify({
  petId: 1,
  quantity: 2,
  shipDate: "2026-12-01T09:30:00.000Z",
  status: "placed",
  complete: false,
});

/** Scatters the numbers over 1 to `count`, the same way every time. */
const scattered = (number: number, count: number) => ((number * 7919) % count) + 1;

/** Where a page begins: early enough that it is full, in a store of a thousand pets too. */
const start = (number: number, pets: number) => scattered(number, Math.floor(pets / 2));

export const WORKLOADS: readonly Workload[] = [
  { name: "get a pet", request: (number, pets) => get(`/v2/pet/${scattered(number, pets)}`) },
  {
    name: "create",
    request: (number) => ({ method: "POST", path: "/v2/pet", body: created(number) }),
  },
  {
    name: "update",
    request: (number, pets) => ({
      method: "PUT",
      path: "/v2/pet",
      body: updated(scattered(number, pets), number),
    }),
  },
  {
    name: "page of 100 by status",
    request: (number, pets) =>
      get(`/v2/pet/findByStatus?status=available&limit=100&after=${start(number, pets)}`),
  },
  {
    name: "page of 100 by tag",
    request: () => get("/v2/pet/findByTags?tags=dog&limit=100&after=0"),
  },
  { name: "inventory", request: () => get("/v2/store/inventory") },
  { name: "order", request: () => ({ method: "POST", path: "/v2/store/order", body: order }) },
  { name: "login", request: () => get("/v2/user/login?username=ada&password=correct%20horse") },
];
