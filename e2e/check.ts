import { isDeepStrictEqual } from "node:util";

/** Runs a check, and prints its name and outcome. */
export async function check(what: string, does: () => Promise<void> | void): Promise<void> {
  try {
    await does();
  } catch (error) {
    console.log(`not ok  ${what}`);
    throw error;
  }
  console.log(`ok  ${what}`);
}

/** @throws Error if the two differ */
export function equal(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}
