import { utf8 } from "../hash.ts";
import type { PasswordKeys } from "../settings.ts";
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

interface Sealed extends Credential {
  readonly sealedPassword: string;
}

interface Keyring {
  /** Seals; and opens, as the others do. */
  readonly current: CryptoKey;
  readonly all: readonly CryptoKey[];
  /** What a password is compared with where there is none. */
  readonly decoy: Sealed;
}

const keyrings = new WeakMap<PasswordKeys, Promise<Keyring>>();

/** The keys, imported once. @throws Unavailable where one is not 32 bytes in base64 */
async function keyringOf(keys: PasswordKeys): Promise<Keyring> {
  let keyring = keyrings.get(keys);
  if (!keyring) {
    keyring = importKeys(keys);
    keyrings.set(keys, keyring);
  }
  return keyring;
}

async function importKeys([first, ...older]: PasswordKeys): Promise<Keyring> {
  const current = await importKey("PASSWORD_KEY", first);
  const others = older.map(async (key) => importKey("PASSWORD_KEY_OLD", key));
  return {
    current,
    all: [current, ...(await Promise.all(others))],
    decoy: await seal(current, crypto.randomUUID()),
  };
}

async function importKey(name: string, text: string): Promise<CryptoKey> {
  const bytes = decodeBase64(text);
  if (bytes?.byteLength !== KEY_BYTES) throw new Unavailable(`${name} must be 32 bytes in base64`);
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}

async function seal(key: CryptoKey, password: string): Promise<Sealed> {
  const credentialId = crypto.randomUUID();
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: utf8(credentialId) },
    key,
    utf8(password),
  );
  const bytes = new Uint8Array(IV_BYTES + sealed.byteLength);
  bytes.set(iv);
  bytes.set(new Uint8Array(sealed), IV_BYTES);
  return { sealedPassword: bytes.toBase64(), credentialId };
}

async function openWith(
  key: CryptoKey,
  { sealedPassword, credentialId }: Sealed,
): Promise<Uint8Array> {
  const bytes = Uint8Array.fromBase64(sealedPassword);
  const iv = bytes.subarray(0, IV_BYTES);
  const password = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv, additionalData: utf8(credentialId) },
    key,
    bytes.subarray(IV_BYTES),
  );
  return new Uint8Array(password);
}

/** The password in UTF-8. @throws Unavailable where it was sealed by no key, or the row was tampered with */
async function open({ all }: Keyring, sealed: Sealed): Promise<Uint8Array> {
  // Always all of them: the time must not tell which one it was.
  const tries = await Promise.allSettled(all.map(async (key) => openWith(key, sealed)));
  const opened = tries.find((attempt) => attempt.status === "fulfilled");
  if (opened) return opened.value;
  throw new Unavailable("a sealed password did not open");
}

function isSealed(credential: Credential | undefined): credential is Sealed {
  return typeof credential?.sealedPassword === "string";
}

/**
 * Seals a password under a new credential id, bound in as associated data: moved to another account, it
 * does not open (docs/decisions/004-sealed-passwords.md).
 */
export async function sealPassword(
  keys: PasswordKeys,
  password: string | undefined,
): Promise<Credential> {
  const { current } = await keyringOf(keys);
  return password === undefined
    ? { sealedPassword: null, credentialId: crypto.randomUUID() }
    : seal(current, password);
}

// A password may begin with U+FEFF, which would be taken for a byte order mark.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The password in clear. @throws Unavailable where none of the keys opens it, or the row was tampered with */
export async function openPassword(
  keys: PasswordKeys,
  credential: Credential,
): Promise<string | undefined> {
  if (!isSealed(credential)) return undefined;
  return decoder.decode(await open(await keyringOf(keys), credential));
}

/**
 * Whether this is the password: in constant time, and in the same time where there is no account or no
 * password (CONTRACT §6).
 */
export async function isPassword(
  keys: PasswordKeys,
  credential: Credential | undefined,
  password: string,
): Promise<boolean> {
  const keyring = await keyringOf(keys);
  const known = isSealed(credential);
  const stored = await open(keyring, known ? credential : keyring.decoy);
  return isSameSecret(utf8(password), stored) && known;
}
