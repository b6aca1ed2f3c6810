import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isOpen, takeLock } from "./lock.ts";

/** How long to wait for a lock, in milliseconds: the server of a killed process ends a moment later. */
const ENDING_MS = 1000;

/** What the service writes into the folder: its own files, and Miniflare's folder for each kind of binding. */
const WRITTEN = ["name", "lock", "do", "kv", "r2", "ratelimit"];

/**
 * Locks the folder of a kept store until this process ends. Other users may not read the folder, because the key that
 * seals its passwords is public.
 * @param name the name of the store if the folder is new
 * @param owner the process that others are told has the folder
 * @returns the name of the store
 * @throws Error that names the process that uses the folder, or says why it is not writable
 */
export function takeFolder(folder: string, name: string, owner: number): string {
  try {
    makeFolder(folder);
    // A folder that is not empty keeps its mode. The files that the store adds are still for this user alone. A mounted
    // volume may belong to another user, and be writable for the group.
    const isNew = readdirSync(folder).length === 0;
    if (isNew && statSync(folder).uid === process.getuid?.()) chmodSync(folder, 0o700);
    accessSync(folder, constants.W_OK);
    // Files of another user would make workerd fail later. Others, such as `lost+found` of a volume, do not matter.
    for (const written of WRITTEN) checkWritable(join(folder, written));
  } catch (fault) {
    const { message } = fault as Error;
    throw new Error(`cannot write to the folder ${folder}: ${message}`, { cause: fault });
  }
  const lock = takeLock(join(folder, "lock"), owner, ENDING_MS);
  if (!lock) throw new Error(`--keep needs Node 22.13 or newer. This is ${process.version}.`);
  if (typeof lock === "number") throw new Error(`process ${lock} is using the folder ${folder}`);
  if (databasesIn(folder).some((file) => isOpen(file, ENDING_MS))) {
    throw new Error(
      `a workerd whose server was killed is using the folder ${folder}: end that process`,
    );
  }
  const file = join(folder, "name");
  const kept = existsSync(file) && readFileSync(file, "utf8");
  if (kept) return kept;
  writeFileSync(file, name);
  return name;
}

/**
 * The databases that workerd has open while it runs: one for each class of objects. Their path is a private matter of
 * workerd, but nothing documented shows that a workerd without its server uses the folder. e2e/package/run.ts tests it.
 */
function databasesIn(folder: string): string[] {
  const objects = join(folder, "do");
  const classes = existsSync(objects) ? readdirSync(objects) : [];
  return classes
    .map((name) => join(objects, name, "metadata.sqlite"))
    .filter((file) => existsSync(file));
}

/** Makes a folder and its parents. Node's recursive `mkdir` never ends in /proc, where folders cannot be made. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (fault) {
    // Another process may have just made it.
    if (!existsSync(folder)) throw fault;
  }
}

/** @throws Error if this user cannot write to the file, or to anything in the folder */
function checkWritable(path: string): void {
  if (!existsSync(path)) return;
  accessSync(path, constants.W_OK);
  if (!statSync(path).isDirectory()) return;
  for (const entry of readdirSync(path)) checkWritable(join(path, entry));
}
