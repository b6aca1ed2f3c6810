/** How often to check whether the parent has ended, in milliseconds. */
const PARENT_MS = 250;

/** Resolves when this process must end: after a signal, or after the end of npm. */
export async function whenToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => resolve());
    // npm starts commands in a shell, which does not forward signals.
    if (process.env["npm_lifecycle_event"] === undefined) return;
    const { ppid } = process;
    setInterval(() => process.ppid !== ppid && resolve(), PARENT_MS).unref();
  });
}
