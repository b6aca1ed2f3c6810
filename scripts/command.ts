// Shared code of the commands that call a running server.

/**
 * Ends the process with exit status 1 and one sentence for a fault that the user can correct. Throws any other error,
 * because it is a defect.
 */
export function endWith(error: unknown, origin: string): void {
  if (!isUnreachable(error) && !(error instanceof CommandError)) throw error;
  console.error(
    error instanceof CommandError
      ? error.message
      : `No server answers at ${origin}: start one with \`npm start\`, or name another.`,
  );
  process.exitCode = 1;
}

/** A fault that the person who runs the command can correct. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Whether `fetch` got no answer. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.message === "fetch failed";
}
