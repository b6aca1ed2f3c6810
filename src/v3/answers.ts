import type { FieldError, Refusal } from "../errors.ts";

export const INVALID_INPUT = [400, "Invalid input"] as const;
export const VALIDATION_EXCEPTION = [422, "Validation exception"] as const;

/** 400 for a body that is malformed as a whole, 422 for members at fault. */
export const invalidBody = (errors: readonly FieldError[]): Refusal =>
  errors.some(({ path }) => path === "body") ? INVALID_INPUT : VALIDATION_EXCEPTION;
