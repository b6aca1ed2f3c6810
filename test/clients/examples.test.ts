import { expect, test } from "vitest";
import { COLLECTION, GENERATORS } from "../../e2e/clients/generators.ts";
import doc from "../../docs/clients.md?raw";

const examples = import.meta.glob<string>("../../e2e/clients/examples/*.{ts,py}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The parts of examples that docs/clients.md shows. */
const excerpts = Object.values(examples).flatMap((source) =>
  [...source.matchAll(/^(?:\/\/|#) #?region excerpt\n([^]*?)^(?:\/\/|#) #?endregion$/gm)].map(
    ([, excerpt = ""]) => excerpt,
  ),
);

test.each(Object.entries(GENERATORS))(
  "the documentation has the command and the example that %s is tested with",
  (example, command) => {
    expect(doc).toContain(`\n    ${command}\n`);
    expect(doc).toContain(`[${example}](../e2e/clients/examples/${example})`);
  },
);

test("the documentation shows the excerpts as they are tested", () => {
  const shown = [...doc.matchAll(/^```(?:ts|python)\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  expect(shown.toSorted()).toEqual(excerpts.toSorted());
});

test("every example is documented, and so is the command that makes the collection", () => {
  const files = Object.keys(examples).map((path) => path.split("/").at(-1) ?? "");
  expect(files.filter((file) => file !== "types.ts").toSorted()).toEqual(
    Object.keys(GENERATORS).toSorted(),
  );
  expect(doc).toContain(`\n    ${COLLECTION}\n`);
});
