import * as v from "valibot";
import { operation } from "../../http/operation.ts";
import type { Operation } from "../../http/operation.ts";
import { Paging, SingleParameter, expected, optionalMember } from "../../http/schemas.ts";
import { onSandbox } from "../contract.ts";

const INVALID = [400, "Invalid request for the record"] as const;

/** What operations on the record of requests have: it may have secrets, which no page elsewhere may read. */
const onRequests = {
  ...onSandbox,
  private: true,
  errors: { ...onSandbox.errors, invalidParameter: INVALID, foreign: [403, "Forbidden"] },
} as const satisfies Partial<Operation>;

const Filter = {
  id: Paging.after,
  operationId: v.optional(SingleParameter(v.string())),
  method: v.optional(SingleParameter(v.pipe(v.string(), v.regex(/^[A-Z]+$/, "must be a method")))),
  status: v.optional(
    SingleParameter(
      v.pipe(v.string(), v.regex(/^[1-5](?:\d\d|xx)$/, "must be a status, or such as 4xx")),
    ),
  ),
  ...Paging,
};

const FORMATS = ["json", "har", "curl", "test"] as const;

export type RequestFilter = v.InferOutput<v.ObjectSchema<typeof Filter, undefined>>;

/** The last requests to a store; a WebSocket gets each as it comes. */
export const getStoreRequests = operation({
  ...onRequests,
  id: "getStoreRequests",
  query: v.strictObject(
    {
      ...Filter,
      format: v.optional(
        SingleParameter(v.picklist(FORMATS, `must be one of ${FORMATS.join(", ")}`)),
      ),
    },
    "is unknown",
  ),
  success: v.array(v.unknown()),
});

/** Whether the record has only a line for each request, or all of it; and whether secrets are shown in it. */
const RecordMode = v.strictObject(
  {
    record: v.picklist(["lines", "full"], "must be one of lines, full"),
    secrets: optionalMember(v.boolean(expected("a boolean"))),
  },
  "must have only known members",
);
export type RecordMode = v.InferOutput<typeof RecordMode>;

/** Choose what the record of requests has. */
export const putStoreRequests = operation({
  ...onRequests,
  id: "putStoreRequests",
  body: { schema: RecordMode },
  success: v.undefined(),
  errors: { ...onRequests.errors, malformed: INVALID, invalid: INVALID },
});

/** Empty the record of requests. */
export const deleteStoreRequests = operation({
  ...onRequests,
  id: "deleteStoreRequests",
  success: v.undefined(),
});
