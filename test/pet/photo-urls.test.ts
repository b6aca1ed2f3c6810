import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createPet, outcome, refusal, success } from "../fixtures.ts";
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
