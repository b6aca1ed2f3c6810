import { expect, test } from "vitest";
import { send } from "../client.ts";
import { outcome, refusal } from "../fixtures.ts";

/** Some break two rules, of which the first is named. */
const invalid = ["%20", "%C2%A0", "%09", "ann%0A", "ann%00", "ann%7F", "x".repeat(129)];

test.each(invalid)("GET /user/%s is 400", async (name) => {
  const answer = await send("GET", `/user/${name}`);
  expect(outcome(answer)).toEqual(refusal(400, "Invalid username supplied", "username"));
});

test.each(invalid)("PUT /user/%s is 400", async (name) => {
  const answer = await send("PUT", `/user/${name}`, { json: { firstName: "Ann" } });
  expect(outcome(answer)).toEqual(refusal(400, "Invalid user supplied", "username"));
});

test.each(invalid)("DELETE /user/%s is 400", async (name) => {
  const answer = await send("DELETE", `/user/${name}`);
  expect(outcome(answer)).toEqual(refusal(400, "Invalid username supplied", "username"));
});

test.each(["GET", "DELETE"])("%s of a username that is no UTF-8 is 400", async (method) => {
  for (const name of ["%ZZ", "%FF", "%C3"]) {
    const answer = await send(method, `/user/${name}`);
    expect(outcome(answer)).toEqual(refusal(400, "Invalid username supplied", "path"));
  }
});

test("a username in a path is compared after decoding", async () => {
  await send("POST", "/user", { json: { username: "decoded name" } });
  const answer = await send("GET", "/user/%64ecoded%20name");
  expect(answer.json).toMatchObject({ username: "decoded name" });
});
