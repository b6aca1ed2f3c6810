/**
 * The operations that demand a credential, sent with a session in protected access: each of their calls
 * fails in turn, those that look up the session and its account as well. As in open.test.ts, which has all of
 * D1's errors.
 */
import { FEWER_FAULTS } from "./catalogue.ts";
import { testEachCall } from "./each-call.ts";

testEachCall("protected", FEWER_FAULTS);
