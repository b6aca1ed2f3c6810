import { expect, test } from "vitest";
import { COLLECTION, GENERATORS } from "../../e2e/clients/generators.ts";
import doc from "../../docs/clients.md?raw";

const examples = import.meta.glob<string>("../../e2e/clients/examples/*.{ts,py}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** What of an example docs/clients.md shows. */
function excerptOf(example: string): string | undefined {
  const source = examples[`../../e2e/clients/examples/${example}`] ?? "";
  return /^(?:\/\/|#) #?region excerpt\n([^]*?)^(?:\/\/|#) #?endregion$/m.exec(source)?.[1];
}

test.each(Object.entries(GENERATORS))(
  "the documentation shows the command and the example that %s is tested with",
  (example, command) => {
    const language = example.endsWith(".py") ? "python" : "ts";
    const link = `From [${example}](../e2e/clients/examples/${example}):`;
    expect(excerptOf(example)).toMatch(/\S/);
    expect(doc).toContain(`\n    ${command}\n`);
    expect(doc).toContain(`${link}\n\n\`\`\`${language}\n${excerptOf(example)}\`\`\`\n`);
  },
);

test("every example is documented, and so is the command that makes the collection", () => {
  const files = Object.keys(examples).map((path) => path.split("/").at(-1) ?? "");
  expect(files.filter((file) => file !== "types.ts").toSorted()).toEqual(
    Object.keys(GENERATORS).toSorted(),
  );
  expect(doc).toContain(`\n    ${COLLECTION}\n`);
});
