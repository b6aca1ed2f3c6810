import { describe, expect, test } from "vitest";
import type { Sent } from "../client.ts";
import { createPet, createUser, outcome, refusal, uniqueName } from "../fixtures.ts";
import { words } from "../spellings.ts";
import { send3 } from "./client.ts";

/** The operations with a body, as they are sent, and their messages of 400. */
const BODIES = [
  ["POST", "/pet", "Invalid input"],
  ["PUT", "/pet", "Invalid ID supplied"],
  ["POST", "/store/order", "Invalid input"],
  ["POST", "/user", "Invalid input"],
  ["POST", "/user/createWithList", "Invalid input"],
  ["PUT", "/user/somebody", "bad request"],
] as const;

const typed = (body: BodyInit, type = "application/json"): Sent => ({
  body,
  headers: { "Content-Type": type },
});

const MALFORMED: Readonly<Record<string, Sent>> = {
  "no body": {},
  "an empty body": typed(""),
  "no JSON": typed("{"),
  "no UTF-8": typed(Uint8Array.of(0x22, 0xff, 0x22)),
  "JSON that is nested too deeply": typed("[".repeat(900)),
  "too many values": typed(`[${"1,".repeat(2100)}1]`),
  null: { json: null },
  "a string": { json: "Rex" },
  "a number": { json: 7 },
  "a boolean": { json: true },
};

describe.each(BODIES)("%s %s", (method, path, message) => {
  const isList = path.endsWith("List");

  test.each<[string, Sent]>([
    ...Object.entries(MALFORMED),
    isList ? ["an object", { json: {} }] : ["an array", { json: [{}] }],
  ])("with %s is malformed: 400 §11.2.1", async (_, sent) => {
    expect(outcome(await send3(method, path, sent))).toEqual(refusal(400, message, "body"));
  });

  test.each(
    words("application/x-www-form-urlencoded application/xml multipart/form-data text/plain"),
  )("as %s is 415, which says what is accepted §11.2.5", async (type) => {
    const answer = await send3(method, path, typed("name=Rex&photoUrls=a", type));
    expect(outcome(answer)).toEqual(refusal(415, "Unsupported media type"));
    expect(answer.headers.get("accept")).toBe("application/json");
  });
});

/** No id, and no name. */
const WRONG = [7.5, true, [], {}, [[]], [{}], { id: "1" }, 2 ** 53, -(2 ** 53), "\0", ""];

const PET = { name: "Rex", photoUrls: [] };

/** Whole bodies by their operations, and what is wrong with each: the path at fault, and values. */
const AT_FAULT: readonly (readonly [
  operation: string,
  body: object,
  faults: Readonly<Record<string, readonly unknown[]>>,
])[] = [
  [
    "POST /pet",
    PET,
    {
      id: [-1, ...WRONG],
      name: [undefined, null, 7, "x".repeat(5000), ...WRONG],
      photoUrls: [undefined, null, "", "a.png", 7, {}, Array(101).fill("a.png")],
      "photoUrls.0": [[null], [7], ["javascript:alert(1)"], [[]]],
      "tags.0": [["a"], [null], [7], [[]]],
      "tags.1.id": [
        [{ name: "a" }, { id: "1" }],
        [{}, { id: 1.5 }],
      ],
      tags: ["a", { name: "a" }, 7, Array(101).fill(null)],
      category: ["Dogs", [], 7],
      "category.id": [{ id: "1" }],
      status: ["lost", "Sold", "", 1, ["sold"]],
    },
  ],
  [
    "POST /store/order",
    {},
    {
      id: [-1, ...WRONG],
      petId: ["1", 1.5, true, {}, []],
      quantity: [-1, "1", 1.5, {}],
      shipDate: ["tomorrow", 7, "2026-02-30T00:00:00Z", {}],
      status: ["lost", 1, []],
      complete: ["true", 1, {}],
    },
  ],
  ...["POST /user", "PUT /user/somebody"].map(
    (operation) =>
      [
        operation,
        {},
        {
          id: [-1, ...WRONG],
          username: ["", " ", "login", "a\n", "x".repeat(129), 7, [], {}],
          password: [7, ["p"], "a\0", {}],
          userStatus: ["1", 1.5, true],
          email: [7, {}, "x".repeat(5000)],
        },
      ] as const,
  ),
];

test.each(
  AT_FAULT.flatMap(([operation, body, faults]) =>
    Object.entries(faults).map(([path, values]) => ({ operation, body, path, values })),
  ),
)(
  "$operation with a wrong $path is 422, naming it, and changes nothing §11.2.2 §11.3.1",
  async ({ operation, body, path, values }) => {
    const [method = "", at = ""] = operation.split(" ");
    const [member = ""] = path.split(".");
    const { path: ofUser, shown } = await createUser();
    for (const value of values) {
      const json = { ...body, [member]: value };
      const answer = await send3(method, at.replace("/user/somebody", ofUser), { json });
      const refused = refusal(422, "Validation exception", path);
      expect([value, outcome(answer)]).toEqual([value, refused]);
    }
    expect((await send3("GET", ofUser)).json).toEqual(shown);
  },
);

const createAll = async (json: unknown) =>
  outcome(await send3("POST", "/user/createWithList", { json }));

test("a list of users names the faults of each, and has at most 100 §11.2.2", async () => {
  expect(await createAll([{}, { id: "1", email: 7 }, 7])).toEqual(
    refusal(422, "Validation exception", "1.id", "1.email", "2"),
  );
  expect(await createAll(Array.from({ length: 101 }, () => ({})))).toEqual(
    refusal(422, "Validation exception", "body"),
  );
});

test("an error of a tag says that it must be an object §11.3.1", async () => {
  const { text } = await send3("POST", "/pet", { json: { ...PET, tags: ["a"] } });
  expect(text).toContain(`"must be an object with an id and a name"`);
});

describe("an id in a path that is none", () => {
  test.each(words("abc 007 1.5 7%00 %ZZ %FF"))("is 400: %s §11.2.2", async (id) => {
    for (const [method, path, message] of [
      ["GET", `/pet/${id}`, "Invalid ID supplied"],
      ["POST", `/pet/${id}?name=Rex`, "Invalid input"],
      ["DELETE", `/pet/${id}`, "Invalid pet value"],
      ["POST", `/pet/${id}/uploadImage`, "No file uploaded"],
      ["GET", `/store/order/${id}`, "Invalid ID supplied"],
      ["DELETE", `/store/order/${id}`, "Invalid ID supplied"],
    ] as const) {
      const { status, json } = await send3(method, path);
      expect([path, status, json]).toMatchObject([path, 400, { message }]);
    }
  });
});

test.each(words("%20 a%00b createWithArray %C2%85"))(
  "a username in a path that is none is 400: %s §11.2.2",
  async (name) => {
    for (const [method, message] of [
      ["GET", "Invalid username supplied"],
      ["PUT", "bad request"],
      ["DELETE", "Invalid username supplied"],
    ] as const) {
      const sent = method === "PUT" ? { json: {} } : {};
      const answer = await send3(method, `/user/${name}`, sent);
      expect(outcome(answer)).toEqual(refusal(400, message, "username"));
    }
  },
);

test("what is unknown is 404 §11.2.6", async () => {
  const nobody = `/user/${uniqueName("nobody")}`;
  for (const [method, path, message, sent] of [
    ["PUT", nobody, "user not found", { json: {} }],
    ["GET", nobody, "User not found", {}],
    ["POST", "/pet/987654321?name=Rex", "Pet not found", {}],
    ["GET", "/pets", "Not found", {}],
    ["GET", `${(await createPet()).path}/images/a.png`, "Not found", {}],
  ] as const) {
    expect(outcome(await send3(method, path, sent))).toEqual(refusal(404, message));
  }
});
