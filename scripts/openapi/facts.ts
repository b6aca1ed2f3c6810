const unused = new Set<string>();

/**
 * Facts that only the documents have. They are here and not in the contracts, so that the Worker does not contain them.
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

/** The names of an operation's facts: that of Petstore 3 first, if it is one of its operations. */
export const namesOf = (operationId: string, isPetstore3: boolean): readonly string[] =>
  isPetstore3 ? [`petstore3.${operationId}`, operationId] : [operationId];

/** Facts that nothing has asked for. */
export const unusedFacts = (): readonly string[] => [...unused];
