// Reads while others write. Every answer must be a success, and no read may mix two writes.
import { STATUSES, TAGS } from "./contents.ts";
import { succeed } from "../http.ts";
import { keyOf } from "./ledger.ts";
import type { Content, Ledger } from "./ledger.ts";
import { SHARED_IDS } from "./load.ts";
import { below } from "./random.ts";
import type { Random } from "./random.ts";

type Pets = readonly (Content & { readonly id: number })[];

export class Readers {
  answers = 0;
  readonly errors: string[] = [];
  readonly #url: string;
  readonly #ledger: Ledger;
  readonly #random: Random;

  constructor(url: string, ledger: Ledger, random: Random) {
    this.#url = url;
    this.#ledger = ledger;
    this.#random = random;
  }

  /** Runs this many clients for this long. */
  async run(clients: number, milliseconds: number): Promise<void> {
    const end = Date.now() + milliseconds;
    const reader = async () => {
      while (Date.now() < end) {
        try {
          await this.#read();
        } catch (error) {
          this.errors.push(String(error));
        }
        this.answers += 1;
      }
    };
    await Promise.all(Array.from({ length: clients }, reader));
  }

  async #read(): Promise<void> {
    const chance = this.#random();
    const any = below(this.#random, 60);
    if (chance < 0.5) return this.#readPet(SHARED_IDS[any % SHARED_IDS.length] ?? 0);
    if (chance < 0.7) {
      const counts = (await this.#get("/store/inventory")) as Record<string, unknown>;
      if (STATUSES.some((status) => !Number.isSafeInteger(counts[status]))) {
        this.errors.push(`the inventory is ${JSON.stringify(counts)}`);
      }
      return undefined;
    }
    const path =
      chance < 0.85
        ? `/pet/findByStatus?status=${STATUSES[any % STATUSES.length]}`
        : `/pet/findByTags?tags=${encodeURIComponent(TAGS[any % TAGS.length] ?? "")}`;
    for (const { id, ...content } of (await this.#get(path)) as Pets) this.#expectSent(id, content);
  }

  async #readPet(id: number): Promise<void> {
    const { id: shown, ...content } = (await this.#get(`/pet/${id}`)) as Pets[number];
    if (shown !== id) this.errors.push(`pet ${id} shows the id ${shown}`);
    this.#expectSent(id, content);
  }

  async #get(path: string): Promise<unknown> {
    return (await succeed(this.#url, `GET ${path}`)).json;
  }

  #expectSent(id: number, content: Content): void {
    if (!this.#ledger.maybeSent(keyOf("pet", id), content)) {
      this.errors.push(`nobody sent what pet ${id} shows: ${JSON.stringify(content)}`);
    }
  }
}
