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

/** Of each generator the command for the first document. */
const commands = new Map(
  clients.toReversed().map(({ generator, command }) => [generator, command]),
);

test.each([...commands.values(), ...MOCKS.slice(0, 1), COLLECTION])(
  "the documentation has the command %s",
  (command) => {
    expect(doc).toContain(`\n    ${command}\n`);
  },
);

test("the documentation shows the excerpts as they are tested", () => {
  const shown = [...doc.matchAll(/^```(?:ts|python)\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  expect(shown.toSorted()).toEqual(excerpts.toSorted());
});

test("every example is run, and documented", () => {
  const others = new Set(["types.ts", "oazapfts.ts", "mocks.test.ts"]);
  const files = Object.keys(examples).map((path) => path.split("/").at(-1) ?? "");
  const run = [...new Set(clients.map(({ example }) => example))];
  expect(files.filter((file) => !others.has(file)).toSorted()).toEqual(run.toSorted());
  for (const file of run) expect(doc).toContain(`[${file}](../e2e/clients/examples/${file})`);
});
