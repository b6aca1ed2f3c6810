import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createPet, outcome, refusal, success } from "../fixtures.ts";
import { PETSTORE3_PATH } from "../../src/http/base-path.ts";
import { words } from "../spellings.ts";

test.each<{ photoUrls: string | string[] }>(
  [
    ...words("https://pets.example/rex.png HTTPS://pets.example/rex.png string / /:rex.png"),
    ...words("http://pets.example:8080/rex.png?size=2#top //[2001:db8::1]:8080/rex.png"),
    ...words("https://pets.example/1.png,https://pets.example/2.png photos/javascript.png"),
    ...words("images/rex.png,/images/rex.png,../rex.png,//pets.example/rex.png ?photo=data:1"),
    ...words("https://pets.example/javascript:1 https://pets.example/ren%C3%A9.png"),
    ...words("https://pets.example/rené.png https://例え.example/rex.png"),
    "https://pets.example/1.png, https://pets.example/2.png",
    [],
    ...words(" | |2.png| rex.png| string https://pets.example/a,b.png 1.png|2.png|2.png").map(
      (urls) => urls.split("|"),
    ),
  ].map((photoUrls) => ({ photoUrls })),
)(
  "photoUrls of the form $photoUrls come back as they were sent §3.1.1 §3.1.2 §3.1.3",
  async ({ photoUrls }) => {
    const { id, path, shown } = await createPet({ photoUrls });
    expect(shown).toEqual({ id, name: "Rex", photoUrls });
    expect(outcome(await send("GET", path))).toEqual(success({ id, name: "Rex", photoUrls }));
  },
);

/** One string with so many URLs. */
const inOne = (count: number) => Array.from({ length: count }, (_, at) => `${at}.png`).join(",");

test("a string of photoUrls has at most 100 URLs, so that Petstore 3 takes them too §2.4.1 §11.3.3", async () => {
  const { id, shown } = await createPet({ photoUrls: inOne(100) });
  expect(outcome(await send("PUT", "/pet", { json: shown }))).toEqual(success(shown));
  const { json } = await send("GET", `/pet/${id}`, { basePath: PETSTORE3_PATH });
  expect((await send("PUT", "/pet", { json, basePath: PETSTORE3_PATH })).status).toBe(200);
  const many = { id, name: "Rex", photoUrls: inOne(101) };
  for (const [method, message] of [
    ["POST", "Invalid input"],
    ["PUT", "Validation exception"],
  ] as const) {
    const answer = await send(method, "/pet", { json: many });
    expect(outcome(answer)).toEqual(refusal(405, message, "photoUrls"));
    expect(answer.text).toContain("must have at most 100 URLs");
  }
});

const refused = [
  ...words("javascript:alert(1) JavaScript:alert(1) data:image/png;base64,AAAA DATA:text/html,x"),
  ...words("vbscript:msgbox(1) ftp://pets.example/rex.png file:///rex.png mailto:rex@pets.example"),
  ...words("https:// https:rex.png https:///rex.png // https://[rex]/"),
  " javascript:alert(1)",
  ...words("\tjavascript:alert(1) java\nscript:alert(1)"),
  "\u0001javascript:alert(1)",
];

test.each<[photoUrls: string | string[], path: string]>([
  ...refused.map((url): [string, string] => [url, "photoUrls"]),
  ...refused.map((url): [string[], string] => [["rex.png", url], "photoUrls.1"]),
  ...["", ",", " ", ",rex.png", "rex.png,", "a.png,,b.png", "rex.png,javascript:alert(1)"].map(
    (urls): [string, string] => [urls, "photoUrls"],
  ),
  ["rex.png, data:text/html", "photoUrls"],
])(
  "photoUrls with an item that is no photo URL are refused: %j, at %s §3.1.2 §3.1.3 §API7",
  async (photoUrls, path) => {
    const answer = await send("POST", "/pet", { json: { name: "Rex", photoUrls } });
    expect(outcome(answer)).toEqual(refusal(405, "Invalid input", path));
  },
);
