import { ApiError } from "../../http/errors.ts";
import { fail } from "../../http/handler.ts";
import { implementFor } from "../../http/implement.ts";
import { utf8 } from "../../platform/crypto.ts";
import type { InSandbox } from "../sandbox.ts";
import { missesOf } from "./aims.ts";
import * as contract from "./contract.ts";
import type { Faults } from "./faults.ts";
import { prepared } from "./rules.ts";

/** What these handlers use besides the services. */
export interface WithFaults extends InSandbox {
  readonly faults: Faults;
}

const implement = implementFor<WithFaults>();

export const putStoreFaults = implement(contract.putStoreFaults, async ({ body, faults, use }) => {
  const states = body.map(prepared);
  const rules = states.map(({ rule }) => rule);
  if (utf8(JSON.stringify(rules)).byteLength > contract.MAX_RULES_BYTES) {
    throw ApiError.general("tooLarge");
  }
  const misses = missesOf(rules);
  if (misses.length > 0) return fail("unmatched", misses);
  await use();
  faults.rules = states;
  return { body: undefined, status: 204 };
});

export const getStoreFaults = implement(contract.getStoreFaults, async ({ sandbox, faults }) => {
  if (!sandbox.exists) return fail("missing");
  return {
    body: faults.rules.map(({ rule, used, met }) => ({
      ...rule,
      used,
      met,
      ...(rule.times !== undefined && { left: Math.max(0, rule.times - used) }),
    })),
  };
});

export const deleteStoreFaults = implement(
  contract.deleteStoreFaults,
  async ({ sandbox, faults }) => {
    if (!sandbox.exists) return fail("missing");
    faults.rules = [];
    return { body: undefined, status: 204 };
  },
);
