// Records what was sent and acknowledged, and so knows what each resource may contain.

export type Kind = "pet" | "order" | "user";

/** The members of a resource, except its id. */
export type Content = Readonly<Record<string, unknown>>;

/** The state of a resource. */
export interface Held {
  readonly content: Content;
  /** Chosen by the service: the ETag of a pet, or the id of a user. */
  readonly mark?: string | undefined;
}

/** `undefined` if the resource does not exist. */
export type State = Held | undefined;

/** A request that puts a resource into a state. */
export interface Write {
  readonly to: State;
  readonly began: number;
  readonly acknowledged: number | undefined;
}

const NEVER_WRITTEN: Write = { to: undefined, began: 0, acknowledged: 0 };

export type Verdict = "right" | "lost" | "resurrected" | "torn";

export const keyOf = (kind: Kind, id: number | string): string => `${kind}/${id}`;

/**
 * The writes of each resource, in the order in which they began and were acknowledged.
 *
 * A write may be the last one unless another acknowledged write began after its acknowledgement. An unacknowledged write
 * may have happened or not.
 */
export class Ledger {
  /** The writes that may be the last one, by resource. */
  readonly #writes = new Map<string, Write[]>();
  /** All contents that were ever sent, by resource. */
  readonly #sent = new Map<string, Set<string>>();
  /** Creates without an answer, whose id is unknown. */
  readonly #nameless = new Set<{ readonly kind: Kind; readonly write: Write }>();
  /** Unanswered requests that create several resources: all or none. */
  readonly #together = new Set<readonly string[]>();
  #clock = 0;
  acknowledged = 0;

  /** Every resource whose id is known. */
  get keys(): readonly string[] {
    return [...this.#writes.keys()];
  }

  /** The settled resources of a kind that exist: their contents by id. */
  existing(kind: Kind): [id: string, content: Content][] {
    return [...this.#writes].flatMap(([key, [settled]]) =>
      key.startsWith(`${kind}/`) && settled?.to
        ? [[key.slice(kind.length + 1), settled.to.content]]
        : [],
    );
  }

  /**
   * Records a write, sends it, and records its acknowledgement.
   * @param send returns the mark that the service chose
   */
  async write(
    key: string,
    content: Content | undefined,
    send: () => Promise<string | undefined>,
  ): Promise<Held | undefined> {
    const write = this.#begin(key, content);
    return this.#acknowledge(key, write, await send());
  }

  /** The same for several resources that are created by one request. */
  async writeTogether(
    contents: ReadonlyMap<string, Content>,
    send: () => Promise<void>,
  ): Promise<void> {
    const writes = [...contents].map(([key, content]) => ({
      key,
      write: this.#begin(key, content),
    }));
    const keys = [...contents.keys()];
    this.#together.add(keys);
    await send();
    this.#together.delete(keys);
    for (const { key, write } of writes) this.#acknowledge(key, write, undefined);
    // It was one request.
    this.acknowledged -= writes.length - 1;
  }

  /** The same for a resource whose id the service chooses. */
  async create(
    kind: Kind,
    content: Content,
    send: () => Promise<{ readonly id: number; readonly mark?: string | undefined }>,
  ): Promise<number> {
    const write = { to: { content }, began: ++this.#clock, acknowledged: undefined };
    const nameless = { kind, write };
    this.#nameless.add(nameless);
    const { id, mark } = await send();
    this.#nameless.delete(nameless);
    const key = keyOf(kind, id);
    // The id was free, so all earlier writes to it have finished.
    this.#writes.delete(key);
    this.#note(key, write);
    this.#acknowledge(key, write, mark);
    return id;
  }

  /** Judges a state by all acknowledged writes. */
  judge(key: string, shown: State): Verdict {
    const writes = this.#lastOf(key);
    if (writes.some(({ to }) => matches(to, shown)) || this.#claim(key, shown)) return "right";
    if (shown === undefined) return "lost";
    if (!this.wasSent(key, shown.content)) return "torn";
    return writes.every(({ to }) => to === undefined) ? "resurrected" : "lost";
  }

  /** Whether a resource was ever sent with exactly this content. */
  wasSent(key: string, content: Content): boolean {
    return this.#sent.get(key)?.has(canonical(content)) ?? false;
  }

  /** The same while writes are in flight, when the id of a create may be unknown. */
  maybeSent(key: string, content: Content): boolean {
    return (
      this.wasSent(key, content) ||
      [...this.#nameless].some(({ write }) => matches(write.to, { content }))
    );
  }

  /** The groups that unanswered requests create: all or none of each. */
  get together(): readonly (readonly string[])[] {
    return [...this.#together];
  }

  /** Accepts the state of a resource while nothing is in flight. */
  settle(key: string, shown: State): void {
    this.#writes.set(key, [{ to: shown, began: 0, acknowledged: 0 }]);
  }

  /** Forgets the unanswered requests, once everything is settled. */
  forgetUnanswered(): void {
    this.#nameless.clear();
    this.#together.clear();
  }

  /** The writes that may be the last one. */
  #lastOf(key: string): readonly Write[] {
    return this.#writes.get(key) ?? [NEVER_WRITTEN];
  }

  #begin(key: string, content: Content | undefined): Write {
    const write = {
      to: content && { content },
      began: ++this.#clock,
      acknowledged: undefined,
    };
    this.#note(key, write);
    return write;
  }

  #note(key: string, write: Write): void {
    this.#writes.set(key, [...this.#lastOf(key), write]);
    const sent = this.#sent.get(key) ?? new Set();
    if (write.to) sent.add(canonical(write.to.content));
    this.#sent.set(key, sent);
  }

  #acknowledge(key: string, write: Write, mark: string | undefined): State {
    this.acknowledged += 1;
    const to = write.to && { ...write.to, mark };
    const done = { to, began: write.began, acknowledged: ++this.#clock };
    const rest = this.#lastOf(key)
      .map((each) => (each === write ? done : each))
      .filter(({ acknowledged }) => acknowledged === undefined || acknowledged > write.began);
    this.#writes.set(key, rest);
    return to;
  }

  /** Whether an unanswered create explains a resource. Each explains only one. */
  #claim(key: string, shown: State): boolean {
    if (shown === undefined) return false;
    for (const nameless of this.#nameless) {
      const { kind, write } = nameless;
      if (key.startsWith(`${kind}/`) && matches(write.to, shown)) {
        return this.#nameless.delete(nameless);
      }
    }
    return false;
  }
}

/** The content as text, with its members in order. */
export function canonical(content: Content): string {
  return JSON.stringify(Object.entries(content).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function matches(expected: State, shown: State): boolean {
  if (expected === undefined || shown === undefined) return expected === shown;
  return (
    canonical(expected.content) === canonical(shown.content) &&
    (expected.mark === undefined || shown.mark === undefined || expected.mark === shown.mark)
  );
}
