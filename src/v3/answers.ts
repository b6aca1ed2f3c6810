import type { FieldError, Refusal } from "../errors.ts";

export const INVALID_INPUT = [400, "Invalid input"] as const;
export const VALIDATION_EXCEPTION = [422, "Validation exception"] as const;

/** 400 for a body that is malformed as a whole, 422 for members at fault. */
export const invalidBody =
  (malformed: Refusal = INVALID_INPUT) =>
  (errors: readonly FieldError[]) =>
    errors.some(({ path }) => path === "body") ? malformed : VALIDATION_EXCEPTION;
