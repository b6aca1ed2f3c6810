/** Whether what a client sent is the secret, in a time that depends on what was sent alone. */
export function isSameSecret(sent: Uint8Array, secret: Uint8Array): boolean {
  const sameLength = sent.byteLength === secret.byteLength;
  return crypto.subtle.timingSafeEqual(sent, sameLength ? secret : sent) && sameLength;
}
