// Gives Node 22 what workerd has and Node only since version 25, so that scripts can use src/platform/keys.ts and
// src/user/passwords.ts: these methods of Uint8Array, without their options.
Object.assign(Uint8Array.prototype, {
  toHex(this: Uint8Array): string {
    return Buffer.from(this).toString("hex");
  },
  toBase64(this: Uint8Array): string {
    return Buffer.from(this).toString("base64");
  },
});
Object.assign(Uint8Array, {
  fromBase64: (text: string) => Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)),
});
