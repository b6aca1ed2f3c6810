// Errors that several resources of `/api/v3` share.
export const INVALID_INPUT = [400, "Invalid input"] as const;
export const VALIDATION_EXCEPTION = [422, "Validation exception"] as const;
