// The requests that the benchmarks send.
import type { Sql } from "./sql.ts";

/** A request of a workload. */
export interface Asked {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the base path. */
  readonly path: string;
  readonly body?: string;
}

/** Workloads of a kind share a target. */
export type Kind = "reads" | "pages" | "writes" | "logins";

export interface Workload {
  readonly name: string;
  readonly kind: Kind;
  /** Which of the service's statements it runs. */
  readonly statement: keyof Sql;
  /** The request with this number, to a store with this many pets. */
  readonly request: (number: number, pets: number) => Asked;
}

const PASSWORD = "correct horse";

/** The data of a store: the user "ada", and pets whose ids start at 1. */
export const dataOf = (pets: number) => ({
  pets: Array.from({ length: pets }, (_, index) => petOf(index + 1)),
  users: [{ id: 1, username: "ada", password: PASSWORD }],
});

const get = (path: string): Asked => ({ method: "GET", path });
const send = (method: "POST" | "PUT", path: string, members: object): Asked => ({
  method,
  path,
  body: JSON.stringify(members),
});

const STATUSES = ["available", "pending", "sold"] as const;

/** The pet with this id, as the interface shows it. Every fifth has the tag "dog". */
function petOf(id: number) {
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

const created = (number: number) => ({ ...petOf(number), id: undefined });

/** The pet with another name, and usually another status. */
const updated = (id: number, number: number) => ({
  ...petOf(id),
  name: `Rex ${number}`,
  status: STATUSES[number % 3],
});

const order = {
  petId: 1,
  quantity: 2,
  shipDate: "2026-12-01T09:30:00.000Z",
  status: "placed",
  complete: false,
};

/** Scatters the numbers over 1 to `count`, the same in every run. */
const scattered = (number: number, count: number) => ((number * 7919) % count) + 1;

/** The cursor of a page: early enough that even a store of a thousand pets fills the page. */
const start = (number: number, pets: number) => scattered(number, Math.floor(pets / 2));

const workload = (
  name: string,
  kind: Kind,
  statement: keyof Sql,
  request: Workload["request"],
): Workload => ({ name, kind, statement, request });

export const WORKLOADS: readonly Workload[] = [
  workload("get a pet", "reads", "petById", (number, pets) =>
    get(`/pet/${scattered(number, pets)}`),
  ),
  workload("create", "writes", "petById", (number) => send("POST", "/pet", created(number))),
  workload("update", "writes", "petById", (number, pets) =>
    send("PUT", "/pet", updated(scattered(number, pets), number)),
  ),
  workload("page of 100 by status", "pages", "petsByStatus", (number, pets) =>
    get(`/pet/findByStatus?status=available&limit=100&after=${start(number, pets)}`),
  ),
  workload("page of 100 by tag", "pages", "petsByTag", () =>
    get("/pet/findByTags?tags=dog&limit=100&after=0"),
  ),
  workload("inventory", "reads", "inventory", () => get("/store/inventory")),
  workload("order", "writes", "newOrder", () => send("POST", "/store/order", order)),
  workload("login", "logins", "userByName", () =>
    get(`/user/login?username=ada&password=${encodeURIComponent(PASSWORD)}`),
  ),
];
