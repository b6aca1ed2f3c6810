import { refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { request } from "../wire.ts";

const byStatus = (query: string) => request("GET", `/v2/pet/findByStatus${query}`);
const byTags = (query: string) => request("GET", `/v2/pet/findByTags${query}`);
const login = (query: string) => request("GET", `/v2/user/login${query}`);

/** A missing, empty or unknown item is 400, and so is a bad page (interface §3.8 to §3.10). */
const statuses: readonly HostileCase[] = [
  refused("a status is missing", byStatus(""), 400, "status"),
  refused("a status has neither sign nor value", byStatus("?status"), 400, "status"),
  refused("a status is empty", byStatus("?status="), 400, "status"),
  refused("a status is a comma", byStatus("?status=,"), 400, "status"),
  refused("a list of statuses ends in a comma", byStatus("?status=sold,"), 400, "status"),
  refused("one of two statuses is unknown", byStatus("?status=sold&status=lost"), 400, "status"),
  refused("a status is __proto__", byStatus("?status=__proto__"), 400, "status"),
  refused("a status to look for is of another case", byStatus("?status=SOLD"), 400, "status"),
  refused("a status has a space, as a plus sign", byStatus("?status=+sold"), 400, "status"),
  refused("a status ends in a NUL", byStatus("?status=sold%00"), 400, "status"),
  refused("a status is escaped twice", byStatus("?status=%2573old"), 400, "status"),
  refused("a status is no UTF-8", byStatus("?status=%FF"), 400, "query"),
  refused("a status is an escape that is none", byStatus("?status=%ZZ"), 400, "query"),
  refused("the parameter is named as an array", byStatus("?status[]=sold"), 400, "status"),
  refused("the parameter is named in upper case", byStatus("?STATUS=sold"), 400, "status"),
  refused("the parameter is named __proto__", byStatus("?__proto__[status]=sold"), 400, "status"),
  refused("parameters are separated by semicolons", byStatus("?x=1;status=sold"), 400, "status"),
  refused("the query begins with two question marks", byStatus("??status=sold"), 400, "status"),
  refused("a limit is 0", byStatus("?status=sold&limit=0"), 400, "limit"),
  refused("a limit is too high", byStatus("?status=sold&limit=1001"), 400, "limit"),
  refused("a limit is negative", byStatus("?status=sold&limit=-1"), 400, "limit"),
  refused("a limit is a fraction", byStatus("?status=sold&limit=1.5"), 400, "limit"),
  refused("a limit is SQL", byStatus("?status=sold&limit=1%20UNION%20SELECT%201"), 400, "limit"),
  refused("a limit is given twice", byStatus("?status=sold&limit=1&limit=2"), 400, "limit"),
  refused("a limit is empty", byStatus("?status=sold&limit="), 400, "limit"),
  refused("a page begins at a word", byStatus("?status=sold&after=rex"), 400, "after"),
  refused("a page begins below 0", byStatus("?status=sold&after=-1"), 400, "after"),
  refused(
    "a page begins beyond 2^53",
    byStatus("?status=sold&after=9007199254740993"),
    400,
    "after",
  ),
  served("a page begins at the last id of all", byStatus("?status=sold&after=9007199254740991"), {
    shows: "[]",
  }),
  served("a status is given 100 times", byStatus(`?status=sold${",sold".repeat(99)}`)),
  refused(
    "a status is given 8,000 times",
    byStatus(`?status=sold${",sold".repeat(8000)}`),
    400,
    "status",
  ),
  served("999 unknown parameters are given", byStatus(`?status=sold${"&x=1".repeat(999)}`)),
  refused(
    "2,000 unknown parameters are given",
    byStatus(`?status=sold${"&x=1".repeat(2000)}`),
    400,
    "query",
  ),
  served(
    "a parameter has a line break, which the link to the next page must not have",
    byStatus("?status=available&limit=1&x=%0D%0ASet-Cookie:%20session=stolen"),
  ),
];

const tags: readonly HostileCase[] = [
  refused("a tag is missing", byTags("?tag=kept"), 400, "tags"),
  refused("a tag is empty", byTags("?tags=kept,,kept"), 400, "tags"),
  refused("a tag has a NUL", byTags("?tags=%00"), 400, "tags"),
  refused("a tag is half a pair of surrogates", byTags("?tags=%ED%A0%80"), 400, "query"),
  refused("a tag is a cut sequence of UTF-8", byTags("?tags=kept%E2%82"), 400, "query"),
  refused("a tag is too long", byTags(`?tags=${"x".repeat(4097)}`), 400, "tags"),
  refused("the limit of a list by tags is a word", byTags("?tags=a&limit=ten"), 400, "limit"),
  served("a tag is __proto__", byTags("?tags=__proto__"), { shows: "[]" }),
  served("a tag is SQL", byTags("?tags=';DROP%20TABLE%20pets;--"), {
    shows: "[]",
    afterwards: { target: "/v2/pet/findByTags?tags=kept", status: 200 },
  }),
  served("a tag is a pattern of SQL", byTags("?tags=%25,_,*"), { shows: "[]" }),
  served("a tag is JSON", byTags("?tags=%22%5D,%5B1%5D,null,true"), { shows: "[]" }),
  served(
    "there are 100 tags",
    byTags(`?tags=${Array.from({ length: 100 }, (_, index) => `t${index}`).join(",")}`),
    { shows: "[]" },
  ),
  refused(
    "there are 2,000 tags",
    byTags(`?tags=${Array.from({ length: 2000 }, (_, index) => `t${index}`).join(",")}`),
    400,
    "tags",
  ),
];

/** Wrong, missing or unknown: the same 400 (interface §6.1). */
const WRONG_LOGINS: Readonly<Record<string, string>> = {
  "a login has no parameters": "",
  "a login has no password": "?username=kept",
  "a login has an empty password": "?username=kept&password=",
  "a login has no username": "?password=kept%20password",
  "a login has two usernames": "?username=a&username=kept&password=b",
  "a login has two passwords": "?username=kept&password=a&password=b",
  "a login has its right password among wrong ones, as an array":
    "?username=kept&password[]=kept%20password",
  "a login is SQL": "?username=kept'--&password='%20OR%20''='",
  "a login's username is no UTF-8": "?username=%FF&password=a",
  "a login's username has a NUL": "?username=kept%00&password=kept%20password",
  "a login's password is half a pair of surrogates": "?username=kept&password=%ED%A0%80",
  "a login's password is of 50,000 characters": `?username=kept&password=${"x".repeat(50_000)}`,
  "a login's username is of 50,000 characters": `?username=${"x".repeat(50_000)}&password=a`,
};

const logins: readonly HostileCase[] = [
  ...Object.entries(WRONG_LOGINS).map(([name, query]) => refused(name, login(query), 400)),
  refused(
    "a login is in the body",
    request("GET", "/v2/user/login", {
      headers: ["Content-Type: application/x-www-form-urlencoded"],
      body: "username=kept&password=kept+password",
    }),
    400,
  ),
];

export const queries: readonly HostileCase[] = [
  ...statuses,
  ...tags,
  ...logins,
  served(
    "an operation without parameters gets an escape that is none",
    request("GET", "/v2/store/inventory?%ZZ=%FF&__proto__=x"),
  ),
  served("a logout has a query", request("GET", "/v2/user/logout?session=%00"), { shows: '"ok"' }),
];
