import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createPet, outcome, refusal, success } from "../fixtures.ts";

test.each<{ photoUrls: string | string[] }>([
  { photoUrls: "https://pets.example/rex.png" },
  { photoUrls: "http://pets.example:8080/rex.png?size=2#top" },
  { photoUrls: "HTTPS://pets.example/rex.png" },
  { photoUrls: "https://pets.example/1.png,https://pets.example/2.png" },
  { photoUrls: "https://pets.example/1.png, https://pets.example/2.png" },
  { photoUrls: "string" },
  { photoUrls: "images/rex.png,/images/rex.png,../rex.png,//pets.example/rex.png" },
  { photoUrls: "photos/javascript.png" },
  { photoUrls: "?photo=data:1" },
  { photoUrls: "https://pets.example/javascript:1" },
  { photoUrls: "https://pets.example/ren%C3%A9.png" },
  { photoUrls: "https://pets.example/rené.png" },
  { photoUrls: [] },
  { photoUrls: [""] },
  { photoUrls: ["", "2.png", ""] },
  { photoUrls: "https://例え.example/rex.png" },
  { photoUrls: ["string"] },
  { photoUrls: [""] },
  { photoUrls: ["rex.png", ""] },
  { photoUrls: "/" },
  { photoUrls: "/:rex.png" },
  { photoUrls: "//[2001:db8::1]:8080/rex.png" },
  { photoUrls: ["https://pets.example/1.png"] },
  { photoUrls: ["https://pets.example/1.png", "2.png", "2.png"] },
  { photoUrls: ["https://pets.example/a,b.png"] },
])(
  "photoUrls of the form $photoUrls come back as they were sent §3.1.1 §3.1.2 §3.1.3",
  async ({ photoUrls }) => {
    const { id, path, shown } = await createPet({ photoUrls });
    expect(shown).toEqual({ id, name: "Rex", photoUrls });
    expect(outcome(await send("GET", path))).toEqual(success({ id, name: "Rex", photoUrls }));
  },
);

const refused = [
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  " javascript:alert(1)",
  "\tjavascript:alert(1)",
  "java\nscript:alert(1)",
  "data:image/png;base64,AAAA",
  "DATA:text/html,x",
  "vbscript:msgbox(1)",
  "ftp://pets.example/rex.png",
  "file:///rex.png",
  "mailto:rex@pets.example",
  "https://",
  "https:rex.png",
  "https:///rex.png",
  "//",
  "https://[rex]/",
  "\u0001javascript:alert(1)",
];

test.each<[photoUrls: string | string[], path: string]>([
  ...refused.map((url): [string, string] => [url, "photoUrls"]),
  ...refused.map((url): [string[], string] => [["rex.png", url], "photoUrls.1"]),
  ["", "photoUrls"],
  ["rex.png,javascript:alert(1)", "photoUrls"],
  ["rex.png, data:text/html", "photoUrls"],
  ["rex.png,", "photoUrls"],
  [",rex.png", "photoUrls"],
  ["a.png,,b.png", "photoUrls"],
  [",", "photoUrls"],
  [" ", "photoUrls"],
])(
  "photoUrls with an item that is no photo URL are refused: %j, at %s §3.1.2 §3.1.3 §API7",
  async (photoUrls, path) => {
    const answer = await send("POST", "/pet", { json: { name: "Rex", photoUrls } });
    expect(outcome(answer)).toEqual(refusal(405, "Invalid input", path));
  },
);

test("a refused photo URL changes no pet §3.1.2", async () => {
  const { id, path, shown } = await createPet();
  const answer = await send("PUT", "/pet", {
    json: { id, name: "Rex", photoUrls: ["javascript:alert(1)"] },
  });
  expect(outcome(answer)).toEqual(refusal(405, "Validation exception", "photoUrls.0"));
  expect((await send("GET", path)).json).toEqual(shown);
});
