/** The name of a sandbox. Anyone who knows the name can use the store. */
const NAME = String.raw`[\w-]{16,64}`;

/** The name as a pattern of Hono's. */
export const NAME_PARAMETER = `:store{${NAME}}`;

/** The message of the 404 for any other name. */
export const NAME_RULE = "must have 16 to 64 characters of A-Z a-z 0-9 _ -";

/** The path of a store in a URL. Escapes are not decoded, so a store has only one path. */
const BELOW_SANDBOX = new RegExp(String.raw`^[^/]*//[^/?#]*(/stores/(${NAME}))(/v2)?(?=[/?#]|$)`);

/** The store that a URL names. */
export interface SandboxPath {
  readonly name: string;
  /** The path of the store. */
  readonly path: string;
  /** Whether the URL is one of the interface, on this store. */
  readonly isInterface: boolean;
}

/** The sandbox that a URL names, if it names one. */
export function sandboxIn(url: string): SandboxPath | undefined {
  const [, path, name, base] = BELOW_SANDBOX.exec(url) ?? [];
  return path === undefined || name === undefined
    ? undefined
    : { name, path, isInterface: base !== undefined };
}

/** A name that nobody can guess: 122 random bits. */
export function newName(): string {
  return crypto.randomUUID();
}
