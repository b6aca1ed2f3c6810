import type { Exchange } from "../../http/exchange.ts";
import { templateOf } from "../../routes.ts";
import type { Sandbox } from "../sandbox.ts";
import type { RequestFacts } from "./aims.ts";
import type { FaultState } from "./contract.ts";
import { EXPOSED, preferenceOf } from "./prefer.ts";
import { meetRules } from "./rules.ts";
import type { Fault } from "./rules.ts";

/** The rules of a sandbox, and what each request meets. */
export class Faults {
  readonly #sandbox: Sandbox;
  /** `undefined` until they are read. */
  #rules: readonly FaultState[] | undefined;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    sandbox.onEnd(() => (this.#rules = undefined));
  }

  /** The rules, with how often each was used. */
  get rules(): readonly FaultState[] {
    // Only the setter writes them.
    this.#rules ??= JSON.parse(this.#sandbox.row?.faults ?? "[]") as FaultState[];
    return this.#rules;
  }

  set rules(rules: readonly FaultState[]) {
    this.#sandbox.database.rows(`UPDATE "sandbox" SET "faults" = ?`, JSON.stringify(rules));
    this.#rules = rules;
  }

  /** What a request meets: the fault that its `Prefer` asks for, or else the first rule that applies, which counts it. */
  meet(exchange: Exchange): Fault | undefined {
    const preference = preferenceOf(exchange.request.headers);
    if (preference) {
      exchange.added = { ...EXPOSED, "Preference-Applied": preference.applied };
      return preference.fault;
    }
    const before = this.rules;
    const { fault, states } = meetRules(before, factsOf(exchange));
    if (states !== before) this.rules = states;
    return fault;
  }
}

const factsOf = ({ basePath, operation, path, request, route }: Exchange): RequestFacts => ({
  operationId: operation?.id,
  method: request.method,
  path: path.slice(basePath.length),
  template: templateOf(route?.path ?? ""),
});
