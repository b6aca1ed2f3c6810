/** Headers between the Worker and the objects of sandboxes. No client gets them, and no rule sets them. */
export const INTERNAL = {
  /** Of a request: for how many milliseconds the Worker has had it. */
  held: "x-held-ms",
  /** The number of rows that a request for all data read or wrote. */
  rows: "x-rows",
  /** How many milliseconds the answer is delayed. */
  delay: "x-delay-ms",
  /** How many bytes of the body leave in a second. */
  pace: "x-bytes-per-second",
  /** The connection ends after this body. The whole would have so many bytes; "" if that is unknown. */
  break: "x-break",
} as const;
