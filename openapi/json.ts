export type Json = Readonly<Record<string, unknown>>;

/** Returns an object with the same keys and changed values. */
export const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));
