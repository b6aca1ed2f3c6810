import { describe, expect, test } from "vitest";
import { clientWith } from "../fixtures.ts";
import { CountingLimit } from "../limiters.ts";
import { words } from "../spellings.ts";

/** What the limit of requests counts a request under that came from here; `undefined`: without the header. */
async function countedAs(address: string | undefined): Promise<string | undefined> {
  const REQUESTS = new CountingLimit();
  const headers = address === undefined ? {} : { "CF-Connecting-IP": address };
  await clientWith({ REQUESTS })("GET", "/store/inventory", { headers });
  expect(REQUESTS.keys).toHaveLength(1);
  return REQUESTS.keys[0];
}

describe("a client", () => {
  const COUNTED: Readonly<Record<string, readonly string[]>> = {
    "192.0.2.1": words(
      "192.0.2.1 ::ffff:192.0.2.1 ::FFFF:192.0.2.1 ::ffff:c000:201 0:0:0:0:0:ffff:c000:0201",
    ),
    "255.255.255.255": ["255.255.255.255"],
    "0.0.0.0": ["::ffff:0.0.0.0"],
    "2001:db8:0:1::/64": [
      ...words("2001:db8:0:1::1 2001:db8:0:1:ffff:ffff:ffff:ffff 2001:DB8:0:1::ABCD"),
      ...words("2001:0db8:0000:0001:0000:0000:0000:0001 2001:db8::1:0:0:0:1"),
      ...words("2001:db8:0:1::192.0.2.1 2001:db8:0:1::1%eth0"),
    ],
    "2001:db8:0:2::/64": ["2001:db8:0:2::1"],
    "2001:db8:0:0::/64": ["2001:db8::1"],
    "fe80:0:0:0::/64": ["fe80::1%25en0"],
    // Prefixes that are not mapped hold IPv4 addresses, too.
    "0:0:0:0::/64": words(":: ::1 ::ffff:0:192.0.2.1"),
    "1:0:0:0::/64": ["1::"],
    "64:ff9b:0:0::/64": ["64:ff9b::192.0.2.1"],
  };

  test.each(
    Object.entries(COUNTED).flatMap(([counted, from]) =>
      from.map((address) => [address, counted] as const),
    ),
  )("from %s is %s §6.7.3 §V2.4", async (address, counted) => {
    expect(await countedAs(address)).toBe(counted);
  });

  // They share one limit: what cannot be told apart must not go free.
  test.each([
    undefined,
    ...words(" unknown example.com 256.0.0.1 192.0.2 192.0.2.01 0xc0000201 3221225985 : %"),
    ...words("192.0.2.1:80 2001:db8::1::2 2001:db8:::1 2001:db8:0:1:2:3:4:5:6 2001:db8:0:1"),
    ...words("12345::1 2001:db8::g ::1]/[::2 [2001:db8::1]"),
    "192.0.2.1, 192.0.2.2",
  ])("from %j, which is no address, is counted with all such §6.7.3 §V2.4", async (address) => {
    expect(await countedAs(address)).toBe("");
  });
});

test("40 guesses of a password from 40 addresses of one /64 are 30 too many §6.7.3 §V2.4", async () => {
  const LOGINS = new CountingLimit(10);
  const client = clientWith({ LOGINS });
  const statuses: number[] = [];
  for (let host = 1; host <= 40; host++) {
    const headers = { "CF-Connecting-IP": `2001:db8:0:1::${host.toString(16)}` };
    const path = `/user/login?username=nobody&password=guess-${host}`;
    statuses.push((await client("GET", path, { headers })).status);
  }
  expect(statuses).toEqual([
    ...Array.from({ length: 10 }, () => 400),
    ...Array.from({ length: 30 }, () => 429),
  ]);
});
