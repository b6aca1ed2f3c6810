/** A store refused what it was told, or has stopped. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** A request that was waited for did not come in time. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";
}

/** A server did not start. */
export class NotStarted extends Error {
  override readonly name = "NotStarted";
  /** Of the fault, such as `EADDRINUSE`. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}
