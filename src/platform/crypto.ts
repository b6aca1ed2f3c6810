const encoder = new TextEncoder();

/** Encodes text as UTF-8. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** The HMAC of text in UTF-8. */
export async function hmac(key: CryptoKey, text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(text)));
}

/** Compares what a client sent with a secret. The time that it takes depends only on what was sent. */
export function isSameSecret(sent: Uint8Array, secret: Uint8Array): boolean {
  const sameLength = sent.byteLength === secret.byteLength;
  return crypto.subtle.timingSafeEqual(sent, sameLength ? secret : sent) && sameLength;
}
