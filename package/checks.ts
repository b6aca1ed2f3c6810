import { Refused } from "./errors.ts";

/**
 * Checks an argument, for callers without types.
 * @param members the allowed members; without it, the server checks them
 * @throws Refused
 */
export function checkObject(
  taker: string,
  given: unknown,
  example: string,
  members?: readonly string[],
): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new Refused(`${taker} takes an object, such as ${example}`);
  }
  const other = members && Object.keys(given).find((name) => !members.includes(name));
  if (other !== undefined) {
    throw new Refused(`${taker} takes no ${other}, only ${members?.join(", ")}`);
  }
}

/** A value that every client can send in a header. HTTP strips spaces at the ends (RFC 9110 §5.5). */
const SENDABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Options that the command and the library share, unchecked. */
export interface Unchecked {
  readonly port: unknown;
  readonly access: unknown;
  readonly apiKey: unknown;
}

/** The first invalid option, and the rest of a sentence about it; `undefined` if all are valid. */
export function wrongIn({
  port = 0,
  access = "open",
  apiKey,
}: Unchecked): readonly [name: keyof Unchecked, says: string] | undefined {
  if (!Number.isInteger(port) || Number(port) < 0 || Number(port) > 65_535) {
    return ["port", "takes a number from 0 to 65535"];
  }
  if (access !== "open" && access !== "protected") return ["access", "takes open or protected"];
  if (apiKey === undefined) return undefined;
  if (access === "open") return ["apiKey", "is for protected access"];
  if (typeof apiKey !== "string" || apiKey === "") {
    return ["apiKey", "takes a value that is not empty"];
  }
  return SENDABLE.test(apiKey)
    ? undefined
    : ["apiKey", "takes printable ASCII characters without spaces at the ends"];
}
