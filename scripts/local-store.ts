// The folder in which `wrangler dev` keeps the local store: D1, KV, R2 and sandboxes.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { takeLock } from "../package/lock.ts";
import { CommandError } from "./command.ts";
import { ROOT, WRANGLER_ENV, runNode } from "./programs.ts";

/** The folder of the store, from the arguments of `wrangler dev`. */
export const storeFolder = (args: readonly string[]): string =>
  valueOf(args, "persist-to") ?? join(ROOT, ".wrangler", "state");

/** The value of an option in the arguments of `wrangler dev`, if it is there. */
export function valueOf(args: readonly string[], option: string): string | undefined {
  const options = { [option]: { type: "string" } } as const;
  const value = parseArgs({ args: [...args], strict: false, options }).values[option];
  return typeof value === "string" ? value : undefined;
}

/** Where wrangler keeps its data in the folder, as it documents with `getPlatformProxy`. */
export const stateIn = (folder: string): string => join(folder, "v3");

/** The names of our migrations, in order. */
export const migrationNames = (): string[] =>
  readdirSync(join(ROOT, "migrations"))
    .filter((name) => name.endsWith(".sql"))
    .toSorted();

/** Names the migrations that the database has, because opening it takes a second. */
const appliedIn = (folder: string) => join(stateIn(folder), "migrations.txt");

/**
 * Keeps other processes from serving or deleting the store until this one ends.
 * @throws CommandError if another process has it
 */
export function lockStore(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const holder = takeLock(join(folder, "lock"), process.pid, 0);
  if (typeof holder !== "number") return;
  throw new CommandError(`Process ${holder} serves the store in ${folder}. Stop it first.`);
}

/**
 * Applies the migrations that the store lacks. Fills a new store with the classic data, unless it is to be empty.
 * @returns what was done, to print
 * @throws CommandError if the store has migrations that we do not have
 */
export async function prepareStore(
  folder: string,
  { empty = false }: { readonly empty?: boolean } = {},
): Promise<string> {
  const names = migrationNames().join("\n");
  const applied = appliedIn(folder);
  if (existsSync(applied) && readFileSync(applied, "utf8") === names) return "";
  // In a process of its own, because workerd prints warnings.
  const script = join(ROOT, "scripts", "prepare-store.ts");
  const { status, stdout, stderr } = await runNode(
    [script, folder, ...(empty ? ["--empty"] : [])],
    {
      env: { ...WRANGLER_ENV, WRANGLER_LOG: "error" },
    },
  );
  if (status !== 0) throw new CommandError((stdout || stderr).trim());
  writeFileSync(applied, names);
  return stdout;
}

/** Deletes the store, except its lock. */
export function deleteStore(folder: string): void {
  rmSync(stateIn(folder), { recursive: true, force: true });
}
