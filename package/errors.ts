/** A store refused a request or an option, or has stopped. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** The awaited request did not arrive in time. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";
}

/** The server ended while its store was in use. */
export class ServerEnded extends Error {
  override readonly name = "ServerEnded";
}

/** A server did not start. */
export class NotStarted extends Error {
  override readonly name = "NotStarted";
  /** The code of the system error, such as `EADDRINUSE`. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}
