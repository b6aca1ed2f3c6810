// What the commands that call a running server have in common.

/** Ends with exit status 1 and one sentence, if that is what went wrong; anything else is a defect, and thrown. */
export function endWith(error: unknown, origin: string): void {
  if (!isUnreachable(error) && !(error instanceof CommandError)) throw error;
  console.error(
    error instanceof CommandError
      ? error.message
      : `No server answers at ${origin}: start one with \`npm start\`, or name another.`,
  );
  process.exitCode = 1;
}

/** Something that the one who runs a command can mend. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Whether `fetch` got no answer. */
function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.message === "fetch failed";
}
