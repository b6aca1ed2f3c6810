// Facts that only the documents need. They are not in the contracts, because the Worker would then contain them.
// `npm run generate` fails if one is missing or no longer used.

const unused = new Set<string>();

/** A fact that the documents need and nobody has stated. */
export class MissingFact extends Error {}

/**
 * Looks up facts by name.
 * @param what what they are, such as "example"
 * @param file the file that states them
 * @returns a function that takes names, and returns the fact of the first one that has any
 * @throws MissingFact if none has
 */
export function factsOf<Fact>(what: string, file: string, facts: Readonly<Record<string, Fact>>) {
  for (const name of Object.keys(facts)) unused.add(`${what} of ${name}`);
  return (...names: readonly string[]): Fact => {
    const name = names.find((each) => each in facts);
    if (name === undefined) {
      throw new MissingFact(`${names[0]} has no ${what}: add it to scripts/openapi/${file}`);
    }
    unused.delete(`${what} of ${name}`);
    return facts[name] as Fact;
  };
}

/** The facts that no document has used. */
export const unusedFacts = (): readonly string[] => [...unused];
