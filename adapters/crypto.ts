import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const MIN_BYTES = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;
const CHECK_TEXT = "quittance";
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Secrets at rest: AES-256-GCM under a key derived from `APP_SECRET`. */
export interface SecretBox {
  /** version (1 byte) | key id (4) | nonce (12) | tag (16) | ciphertext. */
  encrypt(text: string): Buffer;
  /** Throws when the bytes were altered or were encrypted under a secret that is not given. */
  decrypt(encrypted: Buffer): string;
  /** True for what is still encrypted under `APP_SECRET_OLD`. */
  needsReencryption(encrypted: Buffer): boolean;
  /** What the installation row keeps, so that a wrong `APP_SECRET` is refused at start. */
  makeCheckValue(): Buffer;
  /** True when the check value was made under the present secret or the old one. */
  checkValueMatches(checkValue: Buffer): boolean;
}

interface Key {
  /** Tells which secret a ciphertext needs, and nothing about it: derived beside the key, not from it. */
  id: Buffer;
  key: Buffer;
}

function deriveKey(secret: string): Key {
  const derive = (use: string, length: number) =>
    Buffer.from(hkdfSync("sha256", secret, "", `quittance ${use} v${VERSION}`, length));
  return { id: derive("key id", KEY_ID_BYTES), key: derive("encryption", 32) };
}

function encryptWith({ id, key }: Key, text: string): Buffer {
  const header = Buffer.concat([Buffer.of(VERSION), id]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(header);
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([header, nonce, cipher.getAuthTag(), data]);
}

function decryptWith({ key }: Key, encrypted: Buffer): string {
  const tagAt = HEADER_BYTES + NONCE_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", key, encrypted.subarray(HEADER_BYTES, tagAt), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(encrypted.subarray(0, HEADER_BYTES)).setAuthTag(encrypted.subarray(tagAt, MIN_BYTES));
  return Buffer.concat([decipher.update(encrypted.subarray(MIN_BYTES)), decipher.final()]).toString("utf8");
}

function keyOf(keys: readonly Key[], encrypted: Buffer): Key {
  if (encrypted.length < MIN_BYTES || encrypted[0] !== VERSION)
    throw new Error("not a value encrypted by this version");
  const id = encrypted.subarray(1, HEADER_BYTES);
  const key = keys.find((candidate) => candidate.id.equals(id));
  if (key === undefined)
    throw new Error("encrypted under another APP_SECRET; give that one as APP_SECRET_OLD");
  return key;
}

/** New values are encrypted under `appSecret`; values under `appSecretOld` can still be read while it is given. */
export function makeSecretBox(options: { appSecret: string; appSecretOld?: string | undefined }): SecretBox {
  const current = deriveKey(options.appSecret);
  const keys = options.appSecretOld === undefined ? [current] : [current, deriveKey(options.appSecretOld)];
  const decrypt = (encrypted: Buffer) => decryptWith(keyOf(keys, encrypted), encrypted);
  return {
    encrypt: (text) => encryptWith(current, text),
    decrypt,
    needsReencryption: (encrypted) => keyOf(keys, encrypted) !== current,
    makeCheckValue: () => encryptWith(current, CHECK_TEXT),
    checkValueMatches: (checkValue) => {
      try {
        return decrypt(checkValue) === CHECK_TEXT;
      } catch {
        return false;
      }
    },
  };
}

/** Below it a byte modulo 58 is unbiased: 58 does not divide 256, so the bytes above would favour the first characters. */
const BASE58_BYTES = 4 * 58;
let chance = Buffer.alloc(0);
let taken = 0;

/** From a stock: random bytes are asked for by the thousand, not one by one. */
function randomByte(): number {
  if (taken === chance.length) {
    chance = randomBytes(1_024);
    taken = 0;
  }
  return chance.readUInt8(taken++);
}

function randomBase58(length: number): string {
  let text = "";
  while (text.length < length) {
    const byte = randomByte();
    if (byte < BASE58_BYTES) text += BASE58.charAt(byte % 58);
  }
  return text;
}

/** A row's id: the prefix, "_" and 24 random base58 characters (140 bits), as in `inv_…`. */
export function randomId(prefix: string): string {
  return `${prefix}_${randomBase58(24)}`;
}

/** A store's id: 44 random base58 characters. */
export function newStoreId(): string {
  return randomBase58(44);
}
