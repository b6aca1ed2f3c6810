/** What a server may be told, by the command or by the library. */
export interface Told {
  readonly port: unknown;
  readonly access: unknown;
  readonly apiKey: unknown;
}

/** The first of these that is wrong, and the end of a sentence about it; `undefined` if none is. */
export function wrongIn(told: Told): readonly [name: keyof Told, says: string] | undefined {
  const { port, access, apiKey } = told;
  if (!Number.isInteger(port) || Number(port) < 0 || Number(port) > 65_535) {
    return ["port", "takes a number from 0 to 65535"];
  }
  if (access !== "open" && access !== "protected") return ["access", "takes open or protected"];
  if (apiKey === undefined) return undefined;
  if (access === "open") return ["apiKey", "is for protected access"];
  if (typeof apiKey !== "string" || apiKey === "") {
    return ["apiKey", "takes a value that is not empty"];
  }
  // No client can send it: HTTP takes the spaces away (RFC 9110 §5.5).
  return apiKey.trim() !== apiKey || /\p{Cc}/u.test(apiKey)
    ? ["apiKey", "takes no control characters, and no spaces at its ends"]
    : undefined;
}
