import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { checkObject } from "./checks.ts";
import { Refused } from "./errors.ts";
import type { Server } from "./server.ts";
import type { FaultRule, RequestFilter, StoreContent, StoreData, StoreRequest } from "./types.ts";

/** Manages a store, with the requests below `/stores/{store}`. */
export class Store {
  /** The address of the store: the requests are below it. */
  readonly address: string;
  readonly #server: Server;

  /** @param name anyone who knows it can use the store */
  constructor(server: Server, name: string) {
    this.address = `${server.origin}/stores/${name}`;
    this.#server = server;
  }

  /** Replaces the data. Makes the store if it does not exist. @throws Refused */
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

  /** The recorded requests, newest first. @throws Refused */
  async requests(filter: RequestFilter = {}): Promise<StoreRequest[]> {
    checkObject("requests", filter, '{ operationId: "addPet" }');
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    return this.#read(`/requests?${new URLSearchParams(given).toString()}`);
  }

  /** The numbers of pets, orders and users; `undefined` if the store does not exist. */
  async counts(): Promise<Record<"pets" | "orders" | "users", number> | undefined> {
    const { status, body } = await this.#call("GET", "");
    if (status === 404) return undefined;
    return JSON.parse(body) as Record<"pets" | "orders" | "users", number>;
  }

  /** Deletes the store, if it still exists. */
  async delete(): Promise<void> {
    if (await this.counts()) await this.#send("DELETE", "");
  }

  async #read<Answer>(path: string): Promise<Answer> {
    return JSON.parse(await this.#send("GET", path)) as Answer;
  }

  /** @throws Refused */
  async #send(method: string, path: string, sent?: unknown): Promise<string> {
    const { status, body } = await this.#call(
      method,
      path,
      sent === undefined ? sent : jsonOf(sent),
    );
    if (status < 400) return body;
    const error = JSON.parse(body) as {
      readonly message: string;
      readonly errors?: StoreRequest["errors"];
    };
    const fields = error.errors?.map((field) => `${field.path} ${field.message}`) ?? [];
    throw new Refused([error.message, ...fields].join("\n  "));
  }

  /** Sends a request without `fetch`, which may use a proxy (NODE_USE_ENV_PROXY). @throws ServerEnded */
  async #call(method: string, path: string, json?: string) {
    const call = request(`${this.address}${path}`, {
      method,
      agent: false,
      headers: { "Content-Type": "application/json" },
    });
    call.end(json);
    try {
      const [answer] = (await once(call, "response")) as [IncomingMessage];
      return { status: answer.statusCode ?? 0, body: await text(answer) };
    } catch (fault) {
      throw await this.#server.explain(fault);
    }
  }
}

/** @throws Refused for a value that is not JSON, or nested too deeply */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (fault) {
    throw new Refused(`cannot be sent as JSON: ${(fault as Error).message}`);
  }
}
