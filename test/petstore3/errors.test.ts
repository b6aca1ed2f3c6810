import { describe, expect, test } from "vitest";
import { createPet, createUser, outcome, refusal, uniqueName } from "../fixtures.ts";
import { words } from "../spellings.ts";
import { send3 } from "./client.ts";

const PET = { name: "Rex", photoUrls: [] };

/** What is wrong for Petstore 3, by the path at fault. The members that it shares with /v2 are tested there. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  id: [-1, "1"],
  photoUrls: [undefined, null, "", "a.png", {}, Array(101).fill("a.png")],
  "photoUrls.0": [[null], [7], ["javascript:alert(1)"]],
  "tags.0": [["a"], [null], [[]]],
  "tags.1.id": [[{ name: "a" }, { id: "1" }]],
  tags: ["a", { name: "a" }, Array(101).fill(null)],
  status: ["lost"],
};

test.each(Object.entries(WRONG))(
  "a pet with a wrong %s is 422, which names it §11.2.2 §11.3.1",
  async (path, values) => {
    const [member = ""] = path.split(".");
    for (const value of values) {
      const answer = await send3("POST", "/pet", { json: { ...PET, [member]: value } });
      const refused = refusal(422, "Validation exception", path);
      expect([value, outcome(answer)]).toEqual([value, refused]);
    }
  },
);

test("an order and a user with wrong members are 422, and change nothing §11.2.2", async () => {
  const { path, shown } = await createUser();
  for (const [method, at, json, ...paths] of [
    ["POST", "/store/order", { id: -1, quantity: "1" }, "id", "quantity"],
    ["POST", "/user", { id: -1, username: "login" }, "id", "username"],
    ["PUT", path, { id: "1", email: 7 }, "id", "email"],
  ] as const) {
    const refused = refusal(422, "Validation exception", ...paths);
    expect(outcome(await send3(method, at, { json }))).toEqual(refused);
  }
  expect((await send3("GET", path)).json).toEqual(shown);
});

const createAll = async (json: unknown) =>
  outcome(await send3("POST", "/user/createWithList", { json }));

test("a list of users is an array, names the faults of each, and has at most 100 §11.2.1 §11.2.2", async () => {
  for (const json of [{}, null, 7]) {
    expect(await createAll(json)).toEqual(refusal(400, "Invalid input", "body"));
  }
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
