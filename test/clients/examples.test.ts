import { expect, test } from "vitest";
import { CLIENTS, COLLECTION } from "../../e2e/clients/generators.ts";
import doc from "../../docs/clients.md?raw";

const examples = import.meta.glob<string>("../../e2e/clients/examples/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The parts of examples that docs/clients.md shows. */
const excerpts = Object.values(examples).flatMap((source) =>
  [...source.matchAll(/^\/\/ #region excerpt\n([^]*?)^\/\/ #endregion$/gm)].map(
    ([, excerpt = ""]) => excerpt,
  ),
);

/** Of each generator the command for the first document. */
const commands = new Map(
  CLIENTS.toReversed().map(({ folder, command }) => [folder.split(".")[0], command]),
);

test.each([...commands.values(), COLLECTION])("the documentation has the command %s", (command) => {
  expect(doc).toContain(`\n    ${command}\n`);
});

test("the documentation shows the excerpts as they are tested", () => {
  const shown = [...doc.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  expect(shown.toSorted()).toEqual(excerpts.toSorted());
});

test("every example is run, and documented", () => {
  const files = Object.keys(examples).map((path) => path.split("/").at(-1) ?? "");
  const run = CLIENTS.map(({ folder }) => `${folder}.ts`);
  // types.ts is only compiled.
  expect(new Set(files)).toEqual(new Set([...run, "types.ts"]));
  for (const file of run) expect(doc).toContain(`[${file}](../e2e/clients/examples/${file})`);
});
