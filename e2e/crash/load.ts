// A mixed load of writes, recorded in the ledger.
import { setTimeout as sleep } from "node:timers/promises";
import { orderOf, petFormOf, petOf, userDetailsOf, userOf, userSecretsOf } from "./contents.ts";
import { WrongAnswer, succeed } from "../http.ts";
import type { Sent } from "../http.ts";
import { canonical, keyOf } from "./ledger.ts";
import type { Content, Ledger } from "./ledger.ts";
import { below, pick, takeAny } from "./random.ts";
import type { Random } from "./random.ts";

/** Pets that all clients replace concurrently. */
export const SHARED_IDS = [900_001, 900_002, 900_003, 900_004] as const;
/** Ids that clients choose, delete and choose again. */
const CHOSEN_IDS = Array.from({ length: 24 }, (_, index) => 1_000_001 + 2 * index);
/** Greater ids could not be looked up (interface §4.4). */
const MOST_ORDERS = 10;
/** With more resources of a kind, deletes outnumber creates. */
const MANY = 120;

interface Pet {
  readonly id: number;
  readonly content: Content;
}

interface User {
  readonly username: string;
  readonly content: Content;
}

/** The clients that write. Except for the shared pets, only one of them uses a resource at a time. */
export class Load {
  readonly #ledger: Ledger;
  readonly #random: Random;
  #pets: Pet[] = [];
  #absent: number[] = [...CHOSEN_IDS];
  #users: User[] = [];
  #orders: number[] = [];
  /** Orders that exist or may exist. */
  #orderCount = 0;
  #number = 0;
  #url = "";
  /** Creates without an answer, by idempotency key. */
  readonly #unanswered = new Map<string, Content>();
  /** The ids that the service chose. It may choose none twice. */
  readonly #given = new Set<string>();
  #isStopped = false;
  #inFlight = 0;
  /** Errors while the service was alive. */
  readonly errors: string[] = [];

  constructor(ledger: Ledger, random: Random) {
    this.#ledger = ledger;
    this.#random = random;
  }

  /** Creates the pets that all clients share. */
  async begin(url: string): Promise<void> {
    this.#url = url;
    for (const id of SHARED_IDS) await this.#createPet(id);
  }

  /**
   * Runs clients for a while. Then each finishes its request, or loses it.
   * @param kill ends the service: from then on, answers may be missing
   * @returns how many requests were in flight at the end
   */
  async run(
    url: string,
    clients: number,
    milliseconds: number,
    kill?: () => Promise<void>,
  ): Promise<number> {
    this.#url = url;
    this.#isStopped = false;
    const running = Array.from({ length: clients }, async () => this.#client());
    await sleep(milliseconds);
    this.#isStopped = true;
    const inFlight = this.#inFlight;
    await kill?.();
    await Promise.all(running);
    return inFlight;
  }

  /**
   * Repeats the unanswered creates with their idempotency keys. Afterwards, each pet must exist exactly once.
   * @returns how many
   */
  async repeatUnanswered(url: string): Promise<number> {
    this.#url = url;
    const creates = [...this.#unanswered];
    this.#unanswered.clear();
    for (const [key, content] of creates) {
      const id = await this.#createUnderKey(key, content);
      const [, { name }] = content["tags"] as [unknown, { name: string }];
      const found = await this.#ok(`GET /pet/findByTags?tags=${encodeURIComponent(name)}`);
      const ids = (found.json as { id: number }[]).map((pet) => pet.id).join();
      if (ids !== String(id))
        this.errors.push(`after a repeat, ${key} is pet ${id}, but the pets are ${ids}`);
    }
    return creates.length;
  }

  /** Continues with the resources that exist, by the ledger. */
  resume(): void {
    const shared = new Set<number>(SHARED_IDS);
    this.#pets = this.#ledger
      .existing("pet")
      .map(([id, content]) => ({ id: Number(id), content }))
      .filter(({ id }) => !shared.has(id));
    const ids = new Set(this.#pets.map(({ id }) => id));
    this.#absent = CHOSEN_IDS.filter((id) => !ids.has(id));
    this.#users = this.#ledger
      .existing("user")
      .map(([username, content]) => ({ username, content }));
    this.#orders = this.#ledger.existing("order").map(([id]) => Number(id));
    this.#orderCount = this.#orders.length;
  }

  async #client(): Promise<void> {
    while (!this.#isStopped) {
      this.#inFlight += 1;
      try {
        await this.#step();
      } catch (error) {
        if (!this.#isStopped || error instanceof WrongAnswer) {
          this.errors.push(String(error));
          // If the service refuses everything, the errors must not fill the memory.
          await sleep(100);
        }
      } finally {
        this.#inFlight -= 1;
      }
    }
  }

  async #step(): Promise<void> {
    const chance = this.#random();
    if (chance < 0.3) return this.#addPet();
    if (chance < 0.45) return this.#replaceShared();
    if (chance < 0.7) return this.#changePet();
    if (chance < 0.8) return this.#order();
    return this.#user();
  }

  async #addPet(): Promise<void> {
    const chosen = below(this.#random, 3) === 0 ? takeAny(this.#random, this.#absent) : undefined;
    const content = petOf(++this.#number);
    if (chosen !== undefined) {
      await this.#createPet(chosen, content);
      this.#pets.push({ id: chosen, content });
      return;
    }
    const key = String(content["name"]);
    this.#unanswered.set(key, content);
    const id = await this.#createUnderKey(key, content);
    this.#unanswered.delete(key);
    this.#pets.push({ id, content });
  }

  async #createUnderKey(key: string, content: Content): Promise<number> {
    return this.#ledger.create("pet", content, async () => {
      const { json, etag } = await this.#ok("POST /pet", {
        json: content,
        headers: { "Idempotency-Key": key },
      });
      const { id, ...stored } = json as { id: number };
      expectSame(stored, content);
      this.#give(keyOf("pet", id));
      return { id, mark: etag };
    });
  }

  async #createPet(id: number, content = petOf(++this.#number)): Promise<void> {
    await this.#ledger.write(keyOf("pet", id), content, async () => {
      const { json, etag } = await this.#ok("POST /pet", { json: { id, ...content } });
      expectSame(json, { id, ...content });
      return etag;
    });
  }

  async #replacePet(id: number): Promise<Content> {
    const content = petOf(++this.#number);
    await this.#ledger.write(keyOf("pet", id), content, async () => {
      const { json, etag } = await this.#ok("PUT /pet", { json: { id, ...content } });
      expectSame(json, { id, ...content });
      return etag;
    });
    return content;
  }

  async #replaceShared(): Promise<void> {
    await this.#replacePet(pick(this.#random, SHARED_IDS));
  }

  async #changePet(): Promise<void> {
    const pet = takeAny(this.#random, this.#pets);
    if (!pet) return this.#addPet();
    const { id } = pet;
    const chance = this.#random();
    if (chance < 0.25 || this.#pets.length > MANY) {
      await this.#delete(keyOf("pet", id), `/pet/${id}`);
      if (CHOSEN_IDS.includes(id)) this.#absent.push(id);
      return undefined;
    }
    if (chance < 0.65) {
      this.#pets.push({ id, content: await this.#replacePet(id) });
      return undefined;
    }
    const form = petFormOf(++this.#number);
    const content = { ...pet.content, ...form };
    await this.#ledger.write(keyOf("pet", id), content, async () => {
      await this.#ok(`POST /pet/${id}`, { body: new URLSearchParams(form) });
      return undefined;
    });
    this.#pets.push({ id, content });
  }

  async #order(): Promise<void> {
    if (this.#orderCount < MOST_ORDERS && this.#random() < 0.6) {
      this.#orderCount += 1;
      const content = orderOf(++this.#number);
      const id = await this.#ledger.create("order", content, async () => {
        const { json } = await this.#ok("POST /store/order", { json: content });
        const { id: given, ...stored } = json as { id: number };
        expectSame(stored, content);
        return { id: given };
      });
      this.#orders.push(id);
      return;
    }
    const id = takeAny(this.#random, this.#orders);
    if (id === undefined) return;
    await this.#delete(keyOf("order", id), `/store/order/${id}`);
    this.#orderCount -= 1;
  }

  async #user(): Promise<void> {
    const chance = this.#random();
    if (chance < 0.3) return this.#addUser();
    if (chance < 0.4) return this.#addUsers();
    const user = takeAny(this.#random, this.#users);
    if (!user) return this.#addUser();
    const { username } = user;
    if (chance < 0.7 || this.#users.length > MANY) {
      return this.#delete(keyOf("user", username), `/user/${username}`);
    }
    const number = ++this.#number;
    const members = chance < 0.85 ? userDetailsOf(number) : userSecretsOf(number);
    const content = { ...user.content, ...members };
    await this.#ledger.write(keyOf("user", username), content, async () => {
      const { json } = await this.#ok(`PUT /user/${username}`, { json: members });
      return (json as { message: string }).message;
    });
    this.#users.push({ username, content });
  }

  async #addUser(): Promise<void> {
    const content = userOf(++this.#number);
    const username = String(content["username"]);
    await this.#ledger.write(keyOf("user", username), content, async () => {
      const { json } = await this.#ok("POST /user", { json: content });
      const { message } = json as { message: string };
      this.#give(`id of a user/${message}`);
      return message;
    });
    this.#users.push({ username, content });
  }

  async #addUsers(): Promise<void> {
    const users = Array.from({ length: 3 }, () => userOf(++this.#number));
    const named = users.map((content) => ({ username: String(content["username"]), content }));
    await this.#ledger.writeTogether(
      new Map(named.map(({ username, content }) => [keyOf("user", username), content])),
      async () => {
        await this.#ok("POST /user/createWithList", { json: users });
      },
    );
    this.#users.push(...named);
  }

  async #delete(key: string, path: string): Promise<void> {
    await this.#ledger.write(key, undefined, async () => {
      await this.#ok(`DELETE ${path}`);
      return undefined;
    });
  }

  async #ok(target: string, sent?: Sent) {
    return succeed(this.#url, target, sent);
  }

  #give(id: string): void {
    if (this.#given.has(id)) throw new WrongAnswer(`${id} was chosen twice`);
    this.#given.add(id);
  }
}

function expectSame(shown: unknown, sent: Content): void {
  const [answered, expected] = [canonical(shown as Content), canonical(sent)];
  if (answered !== expected) throw new WrongAnswer(`sent ${expected}, got ${answered}`);
}
