/** The SHA-256 of a text in UTF-8. */
export async function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
}

/** Whether two secrets are the same, in a time that tells nothing of them, not even their length. */
export async function isSameSecret(one: string, other: string): Promise<boolean> {
  const [left, right] = await Promise.all([digest(one), digest(other)]);
  return crypto.subtle.timingSafeEqual(left, right);
}
