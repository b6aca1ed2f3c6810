/** Swagger Petstore's `ApiResponse`, for what has no other body. */
export const apiResponse = (message: string) => ({ code: 200, type: "unknown", message }) as const;
