import { Unavailable } from "../unavailable.ts";
import { isSameSecret } from "./secrets.ts";

const IV_BYTES = 12;
const KEY_BYTES = 32;

/** A password as it is stored, and the random id that it is bound to. */
export interface Credential {
  /** `null`: there is no password, and so no way to log in. */
  readonly sealedPassword: string | null;
  readonly credentialId: string;
}

interface Sealer {
  readonly key: CryptoKey;
  /** What a password is compared with where there is none. */
  readonly decoy: Credential;
}

const sealers = new Map<string, Promise<Sealer>>();

/** The key, imported once. @throws Unavailable where it is not 32 bytes in base64 */
async function sealerOf(passwordKey: string): Promise<Sealer> {
  let sealer = sealers.get(passwordKey);
  if (!sealer) {
    sealer = importKey(passwordKey);
    sealers.set(passwordKey, sealer);
  }
  return sealer;
}

async function importKey(passwordKey: string): Promise<Sealer> {
  const bytes = decodeBase64(passwordKey);
  if (bytes?.byteLength !== KEY_BYTES) {
    throw new Unavailable("PASSWORD_KEY must be 32 bytes in base64");
  }
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  return { key, decoy: await seal(key, crypto.randomUUID()) };
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}

async function seal(key: CryptoKey, password: string | undefined): Promise<Credential> {
  const credentialId = crypto.randomUUID();
  if (password === undefined) return { sealedPassword: null, credentialId };
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(credentialId) },
    key,
    new TextEncoder().encode(password),
  );
  const bytes = new Uint8Array(IV_BYTES + sealed.byteLength);
  bytes.set(iv);
  bytes.set(new Uint8Array(sealed), IV_BYTES);
  return { sealedPassword: bytes.toBase64(), credentialId };
}

async function open(key: CryptoKey, sealed: string, credentialId: string): Promise<string> {
  const bytes = Uint8Array.fromBase64(sealed);
  const password = await crypto.subtle.decrypt(
    {
      name: "AES-GCM",
      iv: bytes.subarray(0, IV_BYTES),
      additionalData: new TextEncoder().encode(credentialId),
    },
    key,
    bytes.subarray(IV_BYTES),
  );
  // A password may begin with U+FEFF, which would be taken for a byte order mark.
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(password);
}

/**
 * Seals a password under a new credential id, bound in as associated data: moved to another account, it
 * does not open (docs/decisions/004-sealed-passwords.md).
 * @param passwordKey base64 of 32 bytes
 */
export async function sealPassword(
  passwordKey: string,
  password: string | undefined,
): Promise<Credential> {
  return seal((await sealerOf(passwordKey)).key, password);
}

/** The password in clear. @throws Unavailable where the key is another, or the row was tampered with */
export async function openPassword(
  passwordKey: string,
  { sealedPassword, credentialId }: Credential,
): Promise<string | undefined> {
  if (sealedPassword === null) return undefined;
  const { key } = await sealerOf(passwordKey);
  try {
    return await open(key, sealedPassword, credentialId);
  } catch (cause) {
    throw new Unavailable("a sealed password did not open", { cause });
  }
}

/**
 * Whether this is the password: in constant time, and in the same time where there is no account or no
 * password (CONTRACT §6).
 */
export async function isPassword(
  passwordKey: string,
  credential: Credential | undefined,
  password: string,
): Promise<boolean> {
  const { decoy } = await sealerOf(passwordKey);
  const known = credential !== undefined && credential.sealedPassword !== null;
  const stored = await openPassword(passwordKey, known ? credential : decoy);
  return (await isSameSecret(stored ?? "", password)) && known;
}
