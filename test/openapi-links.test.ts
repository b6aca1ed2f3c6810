import { describe, expect, test } from "vitest";
import { BASE_PATH, PETSTORE3_PATH } from "../src/http/base-path.ts";
import { send } from "./client.ts";
import { documentOf, operationsOf } from "./openapi.ts";
import type { InterfaceDocument, LinkObject } from "./openapi.ts";
import { exchange, operationOf, prepare } from "./operations.ts";

const KINDS = ["open", "protected", "sandbox"] as const;

const documents = [BASE_PATH, PETSTORE3_PATH].flatMap((basePath) =>
  KINDS.map((kind) => ({
    basePath,
    kind,
    document: documentOf(kind, `${basePath.slice(1)}/openapi.json`),
  })),
);

const linksIn = (document: InterfaceDocument) =>
  operationsOf(document).flatMap(({ operationId: from, responses }) =>
    Object.entries(responses).flatMap(([status, { links = {} }]) =>
      Object.values(links).map((link) => ({ from, status, to: link.operationId, link })),
    ),
  );

const OF_PETS = ["getPetById", "updatePetWithForm", "uploadFile", "deletePet"];
const OF_USERS = ["getUserByName", "updateUser", "deleteUser"];
const LEADS: Readonly<Record<string, readonly string[]>> = {
  addPet: OF_PETS,
  updatePet: OF_PETS,
  updatePetWithForm: ["getPetById"],
  uploadFile: ["getPetById"],
  placeOrder: ["getOrderById", "deleteOrder"],
  createUser: OF_USERS,
  createUsersWithArrayInput: OF_USERS,
  createUsersWithListInput: OF_USERS,
};

/** The member of a JSON value that a JSON Pointer (RFC 6901) names. */
const memberOf = (value: unknown, pointer: string) =>
  pointer
    .split("/")
    .slice(1)
    .reduce((of, name) => (of as Record<string, unknown>)[name], value);

interface Done {
  /** The value of each parameter of the path. */
  readonly path: Readonly<Record<string, string | undefined>>;
  readonly request: unknown;
  readonly response: unknown;
}

/** The value of a runtime expression (OpenAPI 3.1, §4.8.20.4). @throws Error if it has none */
function valueOf(expression: string, done: Done): string {
  const [, of = "", pointer] = /^\$(request|response)\.body#(\/.+)$/.exec(expression) ?? [];
  const [, parameter = ""] = /^\$request\.path\.(\w+)$/.exec(expression) ?? [];
  const value =
    pointer === undefined
      ? done.path[parameter]
      : memberOf(of === "request" ? done.request : done.response, pointer);
  if (typeof value !== "string" && typeof value !== "number")
    throw new Error(`${expression} has no value`);
  return String(value);
}

/** A route's path with these parameters. */
const filled = (route: string, valueFor: (name: string) => string | undefined) =>
  route.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(valueFor(name) ?? ""));

/** Does what the link needs, and then follows it. @returns the statuses of both */
async function follow(basePath: string, from: string, { operationId, parameters }: LinkObject) {
  const nameOf = (id: string) => (basePath === BASE_PATH ? id : `${basePath}#${id}`);
  const [source, target] = [operationOf(nameOf(from)), operationOf(nameOf(operationId))];
  // Its resource is another one. This may also free ids of orders.
  const { request: next } = await prepare(target.name);
  const { request } = await prepare(source.name);
  const pattern = new RegExp(`^${source.route.replaceAll(/:(\w+)/g, "(?<$1>[^/?]+)")}`);
  const path = pattern.exec(request.path)?.groups ?? {};
  const answer = await exchange(send, request);
  const done = { path, request: request.json, response: answer.json };
  const [, query = ""] = next.path.split(/(?=\?)/);
  const linked = filled(target.route, (name) => valueOf(parameters[name] ?? "", done)) + query;
  expect(linked).not.toBe(next.path);
  const { status } = await exchange(send, { ...next, path: linked });
  return [answer.status, status];
}

describe.each(documents)("the links in the document of $basePath, $kind,", ({ document }) => {
  const operations = operationsOf(document);
  const links = linksIn(document);

  test("lead from what creates or changes to what reads, changes and deletes §9.11", () => {
    const expected = operations.flatMap(({ operationId: from }) =>
      (LEADS[from] ?? []).map((to) => ({ from, status: "200", to })),
    );
    expect(links.map(({ from, status, to }) => ({ from, status, to }))).toEqual(expected);
    expect(links.length).toBeGreaterThan(6);
  });

  test("give each operation the parameters of its path, and no others §9.11", () => {
    for (const { to, link } of links) {
      const { parameters = [] } = operations.find(({ operationId }) => operationId === to) ?? {};
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      expect([to, Object.keys(link.parameters)]).toEqual([to, inPath.map(({ name }) => name)]);
    }
  });
});

describe.each(documents.filter(({ kind }) => kind === "open"))(
  "at $basePath,",
  ({ basePath, document }) => {
    test.each(linksIn(document))(
      "the link from $from to $to can be followed §9.11",
      async ({ from, link }) => expect(await follow(basePath, from, link)).toEqual([200, 200]),
    );
  },
);

test("the look-up of an order at /v2, only by ids up to 10, says so in its link §9.11", () => {
  const said = documents.flatMap(({ basePath, document }) =>
    linksIn(document).flatMap(({ to, link: { description } }) =>
      to === "getOrderById" ? [[basePath, description]] : [],
    ),
  );
  expect(said).toEqual([
    ...KINDS.map(() => [BASE_PATH, "Only if the id is at most 10."]),
    ...KINDS.map(() => [PETSTORE3_PATH, undefined]),
  ]);
});

test("swagger.json has no links: Swagger 2.0 knows none §9.11", () => {
  expect(linksIn(documentOf("open", "v2/swagger.json"))).toEqual([]);
});
