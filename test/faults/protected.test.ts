/**
 * Runs the operations that need a credential, with a session in protected access. Each of their calls fails in turn,
 * including those that look up the session and its account. open.test.ts has all of D1's errors.
 */
import { FEWER_FAULTS } from "./catalogue.ts";
import { testEachCall } from "./each-call.ts";

testEachCall("protected", FEWER_FAULTS);
