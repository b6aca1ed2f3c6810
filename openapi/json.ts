export type Json = Readonly<Record<string, unknown>>;

/** Maps each value of an object. */
export const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]));
