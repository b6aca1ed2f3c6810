/** How often to check whether the parent has ended, in milliseconds. */
const PARENT_MS = 250;

/** Resolves when this process must end. */
export async function whenToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, resolve);
    // npm and npx forward a signal to their shell, but the shell does not forward it.
    if (process.env["npm_lifecycle_event"] === undefined) return;
    const { ppid } = process;
    setInterval(() => process.ppid !== ppid && resolve(), PARENT_MS).unref();
  });
}
