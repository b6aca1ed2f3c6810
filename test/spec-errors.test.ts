import { expect, test } from "vitest";
import { routes } from "../src/routes.ts";
import { send } from "./client.ts";
import type { Sent } from "./client.ts";
import {
  createPet,
  createUser,
  outcome,
  refusal,
  uniqueId,
  uniqueName,
  userPath,
} from "./fixtures.ts";

type Request = readonly [path: string, sent?: Sent];

/** One cell of interface §8.2, and how it comes about. */
interface Cell {
  readonly operation: string;
  readonly status: number;
  readonly meaning: string;
  /** Paths of the fields that are at fault. */
  readonly at: readonly string[];
  readonly request: () => Request | Promise<Request>;
}

const cell = (
  operation: string,
  status: number,
  meaning: string,
  at: readonly string[],
  request: Cell["request"],
): Cell => ({ operation, status, meaning, at, request });

const pet = { name: "Rex", photoUrls: "rex.png" };

/** interface §8.2, row by row. */
const SPEC_ERRORS: readonly Cell[] = [
  cell("POST /pet", 405, "Invalid input", ["name"], () => ["/pet", { json: { ...pet, name: "" } }]),
  cell("PUT /pet", 400, "Invalid ID supplied", ["id"], () => ["/pet", { json: pet }]),
  cell("PUT /pet", 404, "Pet not found", [], () => ["/pet", { json: { id: uniqueId(), ...pet } }]),
  cell("PUT /pet", 405, "Validation exception", ["photoUrls"], async () => {
    const { id } = await createPet();
    return ["/pet", { json: { id, name: "Rex" } }];
  }),
  cell("GET /pet/findByStatus", 400, "Invalid status value", ["status"], () => [
    "/pet/findByStatus?status=lost",
  ]),
  cell("GET /pet/findByTags", 400, "Invalid tag value", ["tags"], () => ["/pet/findByTags?tags="]),
  cell("GET /pet/{petId}", 400, "Invalid ID supplied", ["petId"], () => ["/pet/seven"]),
  cell("GET /pet/{petId}", 404, "Pet not found", [], () => [`/pet/${uniqueId()}`]),
  cell("DELETE /pet/{petId}", 400, "Invalid ID supplied", ["petId"], () => ["/pet/seven"]),
  cell("DELETE /pet/{petId}", 404, "Pet not found", [], () => [`/pet/${uniqueId()}`]),
  cell("POST /store/order", 400, "Invalid order", ["quantity"], () => [
    "/store/order",
    { json: { quantity: -1 } },
  ]),
  cell("GET /store/order/{orderId}", 400, "Invalid ID supplied", ["orderId"], () => [
    "/store/order/11",
  ]),
  cell("GET /store/order/{orderId}", 404, "Order not found", [], () => ["/store/order/10"]),
  cell("DELETE /store/order/{orderId}", 400, "Invalid ID supplied", ["orderId"], () => [
    "/store/order/seven",
  ]),
  cell("DELETE /store/order/{orderId}", 404, "Order not found", [], () => ["/store/order/10"]),
  cell("GET /user/login", 400, "Invalid username/password supplied", [], async () => {
    const { shown } = await createUser({ password: "right" });
    return [`/user/login?username=${shown.username}&password=wrong`];
  }),
  cell("GET /user/{username}", 400, "Invalid username supplied", ["username"], () => ["/user/%20"]),
  cell("GET /user/{username}", 404, "User not found", [], () => [userPath(uniqueName("nobody"))]),
  cell("PUT /user/{username}", 400, "Invalid user supplied", ["userStatus"], async () => {
    const { path } = await createUser();
    return [path, { json: { userStatus: "active" } }];
  }),
  cell("PUT /user/{username}", 404, "User not found", [], () => [
    userPath(uniqueName("nobody")),
    { json: { firstName: "Nobody" } },
  ]),
  cell("DELETE /user/{username}", 400, "Invalid username supplied", ["username"], () => [
    "/user/%20",
  ]),
  cell("DELETE /user/{username}", 404, "User not found", [], () => [
    userPath(uniqueName("nobody")),
  ]),
];

/** The methods of each path that answers 405 (RFC 9110 §15.5.6). */
const ALLOW: Record<string, string> = { "/pet": "OPTIONS, POST, PUT" };

test.each(SPEC_ERRORS)(
  "$operation answers $status: $meaning",
  async ({ operation, status, meaning, at, request }) => {
    const [method = ""] = operation.split(" ");
    const [path, sent] = await request();
    const answer = await send(method, path, sent);
    expect(outcome(answer)).toEqual(refusal(status, meaning, ...at));
    expect(answer.headers.get("content-type")).toBe("application/json");
    const allow = answer.headers.get("allow")?.split(", ").toSorted().join(", ");
    expect(allow).toBe(status === 405 ? ALLOW[path] : undefined);
  },
);

test("the table holds every error that the specification gives an operation, with its meaning", () => {
  const stated = SPEC_ERRORS.map(({ operation, status, meaning }) =>
    [operation, status, meaning].join(" "),
  );
  const operations = new Set(SPEC_ERRORS.map(({ operation }) => operation));
  // The specification knows 400, 404 and 405; what else is declared are answers of the contract.
  const declared = routes.flatMap(({ method, path, endpoint }) => {
    const operation = `${method} ${path.replace(/:(\w+)/, "{$1}")}`;
    return Object.entries(endpoint.operation.errors)
      .filter(([status]) => operations.has(operation) && /^(?:400|404|405)$/.test(status))
      .map(([status, meaning]) => [operation, status, meaning].join(" "));
  });
  expect(stated.toSorted()).toEqual(declared.toSorted());
  expect([stated.length, operations.size]).toEqual([22, 13]);
});
