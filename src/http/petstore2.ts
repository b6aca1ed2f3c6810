/** Returns Swagger Petstore's `ApiResponse`, the body of responses that the specification shows without a body. */
export const apiResponse = (message: string) => ({ code: 200, type: "unknown", message }) as const;
