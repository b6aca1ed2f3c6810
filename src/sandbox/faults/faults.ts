import type { Context } from "hono";
import { basePathOf } from "../../http/base-path.ts";
import type { App } from "../../http/context.ts";
import type { Operation } from "../../http/operation.ts";
import { templateOf } from "../../routes.ts";
import type { Sandbox } from "../sandbox.ts";
import type { FaultState } from "./contract.ts";
import { EXPOSED, preferenceOf } from "./prefer.ts";
import { meet } from "./rules.ts";
import type { Fault, RequestFacts } from "./rules.ts";

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
    this.#rules ??= JSON.parse(this.#sandbox.row?.faults ?? "[]") as FaultState[];
    return this.#rules;
  }

  set rules(rules: readonly FaultState[]) {
    this.#rules = rules;
    this.#sandbox.database.rows(`UPDATE "sandbox" SET "faults" = ?`, JSON.stringify(rules));
  }

  /** What a request meets: the fault that its `Prefer` asks for, or else the first rule that applies, which counts it. */
  meet(c: Context<App>, operation: Operation | undefined): Fault | undefined {
    const preference = preferenceOf(c.req.raw.headers);
    if (preference) {
      c.set("added", { ...EXPOSED, "Preference-Applied": preference.applied });
      return preference.fault;
    }
    const before = this.rules;
    const { fault, states } = meet(before, factsOf(c, operation));
    if (states !== before) this.rules = states;
    return fault;
  }
}

function factsOf(c: Context<App>, operation: Operation | undefined): RequestFacts {
  const { path, method } = c.req;
  return {
    operationId: operation?.id,
    method,
    // Routes accept one slash at the end.
    path: path.slice(basePathOf(path).length).replace(/\/$/, ""),
    template: templateOf(c.get("route")?.path ?? ""),
  };
}
