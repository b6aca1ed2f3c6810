type Succeeding<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (
    ...given: infer Given
  ) => Promise<infer Result>
    ? (...given: Given) => Promise<Result & { status: 200 }>
    : never;
};

/** @returns the same functions, which now throw if the status is not 200. The types narrow as in an `if`. */
export function succeeding<Functions extends object>(functions: Functions): Succeeding<Functions> {
  const wrapped = Object.entries(functions).map(([name, call]) => [
    name,
    async (...given: unknown[]) => {
      const result = await (call as (...given: unknown[]) => Promise<{ status: number }>)(...given);
      if (result.status !== 200) throw result;
      return result;
    },
  ]);
  return Object.fromEntries(wrapped) as Succeeding<Functions>;
}
