/** How often to check whether the parent has ended, in milliseconds. */
const PARENT_MS = 250;

/** Resolves when this process must end. */
export async function whenToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => resolve());
    // Between npm and this process is a shell, which forwards no signal.
    if (process.env["npm_lifecycle_event"] === undefined) return;
    const { ppid } = process;
    setInterval(() => process.ppid !== ppid && resolve(), PARENT_MS).unref();
  });
}
