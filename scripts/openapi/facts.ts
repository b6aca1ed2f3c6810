// Facts that only the documents have. They are here and not in the contracts, so that the Worker does not contain them.
// `npm run openapi` fails if one is missing or no longer used.

const unused = new Set<string>();

/**
 * Looks up facts by name.
 * @param what what they are, such as "example"
 * @returns the fact of the first of these names that has one, and an Error if none has
 */
export function factsOf<Fact>(what: string, facts: Readonly<Record<string, Fact>>) {
  for (const name of Object.keys(facts)) unused.add(`${what} of ${name}`);
  return (...names: readonly string[]): Fact => {
    const name = names.find((each) => each in facts);
    if (name === undefined) throw new Error(`${names[0]} has no ${what} in scripts/openapi`);
    unused.delete(`${what} of ${name}`);
    return facts[name] as Fact;
  };
}

/** Facts that nothing has asked for. */
export const unusedFacts = (): readonly string[] => [...unused];
