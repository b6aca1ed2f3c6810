import { NotUnique, saysNotUnique } from "../db/engine.ts";
import type { Engine, Run } from "../db/engine.ts";
import type { Bound, RowsOf } from "../db/statement.ts";
import { Full, Unavailable, withRetries } from "../unavailable.ts";
import type { FaultRule } from "./contract.ts";
import type { FaultState, RequestFacts } from "./faults.ts";
import type { LoggedRequest } from "./log.ts";
import type { Description, Missing, Ran, Refused, StoreObject, Use } from "./object.ts";
import { reportNow } from "./report.ts";

/** The objects of all stores of one's own. */
export type StoreObjects = DurableObjectNamespace<StoreObject>;

/** How stores are used. */
export interface Terms {
  /** The time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** How long a store lives after its last use, in seconds. */
  readonly seconds: number;
  /** Counts a new store. @throws ApiError 429 if the client made too many */
  readonly countNew: () => Promise<void>;
}

/** A rule makes the request fail, and nothing is done. */
class Prevented extends Error {
  override readonly name = "Prevented";
}

/**
 * A store of one's own, as one request sees it. Each method throws `Unavailable` if its object fails, after up to four
 * more tries if that may help.
 */
export class OwnStore implements Engine {
  readonly #objects: StoreObjects;
  readonly #name: string;
  readonly #terms: Terms;
  /** What the rules for faults look at, until they were asked. */
  #facts: RequestFacts | undefined;
  #wasAsked = false;
  #fault: FaultRule | undefined;

  constructor(objects: StoreObjects, name: string, terms: Terms) {
    this.#objects = objects;
    this.#name = name;
    this.#terms = terms;
  }

  /**
   * Begins a request of the interface. The call with its first statements checks the rules for faults, or `ask` does.
   */
  begin(facts: RequestFacts): void {
    this.#facts = facts;
  }

  /** Checks the rules before anything else is done. Fails if one makes the request fail. */
  async ask(): Promise<void> {
    await this.run([], { writes: false, repeatable: true });
  }

  /** Ends the request. A request without statements reaches the store here. @returns the rule that applies, if any */
  async settle(): Promise<FaultRule | undefined> {
    if (!this.#wasAsked) {
      await this.ask().catch((fault: unknown) => {
        if (!(fault instanceof Prevented)) throw fault;
      });
    }
    return this.#fault;
  }

  /** Makes one call, or two more if it makes the store. @throws Full */
  async run(
    statements: readonly Bound<unknown>[],
    { writes, repeatable }: Pick<Run, "writes" | "repeatable">,
  ): Promise<unknown[][]> {
    const facts = this.#facts;
    this.#facts = undefined;
    this.#wasAsked = true;
    const ran = await this.#making<Ran>(
      async (object, use) => object.run([...statements], { ...use, writes, facts }),
      repeatable,
    );
    this.#fault ??= ran.fault;
    if (ran.kind === "prevented") throw new Prevented("a rule demands a fault");
    return ran.rows;
  }

  /** The rows of statements that only read; `undefined` if the store does not exist. */
  async readIfExists<const Statements extends readonly Bound<unknown>[]>(
    statements: Statements,
  ): Promise<RowsOf<Statements> | undefined> {
    const { now, seconds } = this.#terms;
    const use = { now: now(), seconds, create: false, writes: false, facts: undefined };
    const ran = await this.#call<Ran | Missing>(
      async (object) => object.run([...statements], use),
      true,
    );
    return ran.kind === "ran" ? (ran.rows as RowsOf<Statements>) : undefined;
  }

  /**
   * Empties the store and runs the statements on it. Makes the store if it does not exist.
   * @returns whether there are images to delete
   * @throws Full, NotUnique
   */
  async reset(statements: readonly Bound<unknown>[]): Promise<{ readonly leavesImages: boolean }> {
    // Earlier requests must not reach the log after it was emptied.
    await reportNow(this, this.#name);
    return this.#making<{ readonly leavesImages: boolean }>(
      async (object, use) => object.reset([...statements], use),
      true,
    );
  }

  /** What the store says about itself; `undefined` if it does not exist. */
  async describe(): Promise<Description | undefined> {
    return this.#call(async (object) => object.describe(), true);
  }

  /** Ends the store. @returns whether it existed */
  async end(): Promise<boolean> {
    // Those before must not come to the log of the next store of this name.
    await reportNow(this, this.#name);
    let calls = 0;
    const existed = await this.#call<boolean>(async (object) => {
      calls += 1;
      return object.end();
    }, true);
    // A call whose answer was lost may have ended it.
    return existed || calls > 1;
  }

  /** The rules for faults; `undefined` if the store does not exist. */
  async faults(): Promise<readonly FaultState[] | undefined> {
    return this.#call(async (object) => object.faults(), true);
  }

  /** Replaces the rules for faults, and makes the store if it does not exist. */
  async setFaults(rules: readonly FaultRule[]): Promise<void> {
    await this.#making(async (object, use) => object.setFaults([...rules], use), true);
  }

  /** Ends the rules for faults. @returns whether the store exists */
  async endFaults(): Promise<boolean> {
    return this.#call(async (object) => object.endFaults(), true);
  }

  /** The last requests of all that were answered, newest first; `undefined` if the store does not exist. */
  async requests(): Promise<readonly LoggedRequest[] | undefined> {
    await reportNow(this, this.#name);
    return this.#call(async (object) => object.requests(), true);
  }

  /** Adds requests to the log. */
  async record(requests: readonly LoggedRequest[]): Promise<void> {
    await this.#call(async (object) => object.record([...requests]), false);
  }

  /** The answer to the request of a page that watches the store. */
  async watch(request: Request): Promise<Response> {
    return this.#call(async (object) => object.fetch(request), false);
  }

  /** Calls the store. If the store does not exist, makes it, unless the client made too many. */
  async #making<Answer>(
    call: (object: DurableObjectStub<StoreObject>, use: Use) => Promise<Answer | Missing | Refused>,
    repeatable: boolean,
  ): Promise<Answer> {
    const { now, seconds, countNew } = this.#terms;
    const use = { now: now(), seconds };
    const ask = async (create: boolean) =>
      this.#call(async (object) => call(object, { ...use, create }), repeatable);
    let answer = await ask(false);
    if (isKind(answer, "missing")) {
      let refusal: unknown;
      try {
        await countNew();
      } catch (fault) {
        refusal = fault;
      }
      // Many first requests may come at once: those beyond the limit find the store that another one made.
      answer = await ask(refusal === undefined);
      if (isKind(answer, "missing")) throw refusal;
    }
    if (isKind(answer, "refused")) {
      const { message } = answer as Refused;
      throw saysNotUnique(message) ? new NotUnique(message) : new Full(message);
    }
    return answer as Answer;
  }

  async #call<Answer>(
    call: (object: DurableObjectStub<StoreObject>) => Promise<unknown>,
    repeatable: boolean,
  ): Promise<Answer> {
    try {
      // After a fault a stub may be broken, so each attempt uses a new one.
      return (await withRetries(
        async () => call(this.#objects.getByName(this.#name)),
        (fault) => repeatable && mayPass(fault),
      )) as Answer;
    } catch (cause) {
      throw new Unavailable("a store of one's own failed", { cause });
    }
  }
}

function isKind(answer: unknown, kind: (Missing | Refused)["kind"]): boolean {
  return answer instanceof Object && "kind" in answer && answer.kind === kind;
}

/** https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
function mayPass(fault: unknown): boolean {
  const { retryable, overloaded } = fault as { retryable?: boolean; overloaded?: boolean };
  return retryable === true && overloaded !== true;
}
