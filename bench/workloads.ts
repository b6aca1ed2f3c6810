// The requests that the benchmark sends.

/** A request, below `/v2`. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

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

export const WORKLOADS: readonly { readonly name: string; readonly request: Asked }[] = [
  { name: "get a pet", request: get("/pet/7") },
  { name: "create a pet", request: CREATE },
  { name: "update a pet", request: send("PUT", "/pet", { ...petOf(7), name: "Max" }) },
  { name: "page of 100 by status", request: get("/pet/findByStatus?status=available&limit=100&after=7") },
  { name: "page of 100 by tag", request: get("/pet/findByTags?tags=dog&limit=100&after=0") },
  { name: "inventory", request: get("/store/inventory") },
  { name: "place an order", request: send("POST", "/store/order", ORDER) },
  { name: "log in", request: get("/user/login?username=ada&password=correct%20horse") },
];
