const encoder = new TextEncoder();

/** A text in UTF-8. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The SHA-256 of some bytes. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** The HMAC of a text in UTF-8. */
export async function hmac(key: CryptoKey, text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(text)));
}

/** Compares what a client sent with the secret. The time depends only on what the client sent. */
export function isSameSecret(sent: Uint8Array, secret: Uint8Array): boolean {
  const sameLength = sent.byteLength === secret.byteLength;
  return crypto.subtle.timingSafeEqual(sent, sameLength ? secret : sent) && sameLength;
}
