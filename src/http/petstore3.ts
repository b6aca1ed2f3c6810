// Errors that several resources of Petstore 3 share.
export const INVALID_INPUT = [400, "Invalid input"] as const;
export const VALIDATION_EXCEPTION = [422, "Validation exception"] as const;
