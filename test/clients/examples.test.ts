import { expect, test } from "vitest";
import {
  CLIENTS,
  COLLECTION,
  MOCKS,
  OPENAPI_GENERATOR_CLIENTS,
} from "../../e2e/clients/generators.ts";
import doc from "../../docs/clients.md?raw";

const examples = import.meta.glob<string>("../../e2e/clients/examples/*.{ts,py,rb}", {
  query: "?raw",
  import: "default",
  eager: true,
});

const clients = [...CLIENTS, ...OPENAPI_GENERATOR_CLIENTS];

/** The parts of examples that docs/clients.md shows. */
const excerpts = Object.values(examples).flatMap((source) =>
  [...source.matchAll(/^(?:\/\/|#) #?region excerpt\n([^]*?)^(?:\/\/|#) #?endregion$/gm)].map(
    ([, excerpt = ""]) => excerpt,
  ),
);

test.each(clients)("the documentation has the command and the example of $folder", (client) => {
  const { command, example, generator } = client;
  if (clients.find((one) => one.generator === generator) === client) {
    expect(doc).toContain(`\n    ${command}\n`);
  }
  expect(doc).toContain(`[${example}](../e2e/clients/examples/${example})`);
});

test("the documentation shows the excerpts as they are tested", () => {
  const shown = [...doc.matchAll(/^```(?:ts|python)\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  expect(shown.toSorted()).toEqual(excerpts.toSorted());
});

test("every example is run, and the other commands are documented", () => {
  const files = Object.keys(examples).map((path) => path.split("/").at(-1) ?? "");
  const others = ["types.ts", "oazapfts.ts", "mocks.test.ts"];
  const run = new Set(clients.map(({ example }) => example));
  expect(files.filter((file) => !others.includes(file)).toSorted()).toEqual([...run].toSorted());
  expect(doc).toContain(`\n    ${MOCKS[0]}\n`);
  expect(doc).toContain(`\n    ${COLLECTION}\n`);
});
