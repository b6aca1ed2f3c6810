// Errors of commands.

/**
 * Makes the process end with exit status 1, and prints one sentence, if the user can correct the error. Rethrows any
 * other error, because it is a defect.
 * @param origin of the server that the command calls
 */
export function endWith(error: unknown, origin?: string): void {
  if (error instanceof CommandError) console.error(error.message);
  else if (origin === undefined || !isUnreachable(error)) throw error;
  else
    console.error(`No server answers at ${origin}: start one with \`npm start\`, or name another.`);
  process.exitCode = 1;
}

/** An error that the user can correct. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Whether `fetch` could not connect. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.message === "fetch failed";
}
