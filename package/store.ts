import { Refused } from "./errors.ts";
import type { FaultRule, RequestFilter, StoreContent, StoreData, StoreRequest } from "./types.ts";

/** A store, with the requests that are not part of the interface. */
export class Store {
  /** The address of the store. The paths of these requests are below it. */
  readonly address: string;

  /** @param origin of the server @param name of the store; anyone who knows it can use the store */
  constructor(origin: string, name: string) {
    this.address = `${origin}/stores/${name}`;
  }

  /** Puts the store into a state. Makes the store if it does not exist. @throws Refused */
  async putData(data: StoreData): Promise<void> {
    await this.#send("PUT", "/data", typeof data === "string" ? { data } : data);
  }

  async data(): Promise<StoreContent> {
    return this.#read("/data");
  }

  /** Replaces the rules for faults. @throws Refused */
  async putFaults(rules: readonly FaultRule[]): Promise<void> {
    await this.#send("PUT", "/faults", rules);
  }

  /** The last requests, newest first. @throws Refused */
  async requests(filter: RequestFilter = {}): Promise<StoreRequest[]> {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    return this.#read(`/requests?${new URLSearchParams(given).toString()}`);
  }

  /** How many pets, orders and users the store holds; `undefined` if it does not exist. */
  async counts(): Promise<Record<"pets" | "orders" | "users", number> | undefined> {
    const answer = await fetch(this.address);
    if (answer.status === 404) return undefined;
    return (await answer.json()) as Record<"pets" | "orders" | "users", number>;
  }

  /** Deletes the store, where it still exists. */
  async delete(): Promise<void> {
    if (await this.counts()) await this.#send("DELETE", "");
  }

  async #read<Answer>(path: string): Promise<Answer> {
    return (await (await this.#send("GET", path)).json()) as Answer;
  }

  async #send(method: string, path: string, body?: unknown): Promise<Response> {
    const answer = await fetch(`${this.address}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    if (answer.ok) return answer;
    const error = (await answer.json()) as {
      readonly message: string;
      readonly errors?: StoreRequest["errors"];
    };
    const fields = error.errors?.map((field) => `${field.path} ${field.message}`) ?? [];
    throw new Refused([error.message, ...fields].join("\n  "));
  }
}
