import type { Writable } from "node:stream";

/** How long to wait for a reader of the output before exiting, in milliseconds. */
const FLUSH_MS = 1000;

const ignore = () => undefined;

/**
 * Prints a line. Drops it if nobody reads the output: a closed or full pipe must neither end this process nor fill its
 * memory.
 */
export function print(stream: Writable, line: string): void {
  if (stream.writableNeedDrain) return;
  // Without a listener, a closed pipe would end the process.
  if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore);
  stream.write(`${line}\n`);
}

/** Exits when all output has been written, or after a second: unread output would keep this process running. */
export function exitSoon(status: number): void {
  process.exitCode = status;
  setTimeout(() => process.exit(), FLUSH_MS).unref();
}
