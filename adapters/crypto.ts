import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import type { SealedPlace, SecretsPort } from "../commands/ports";
import { SECRET_CHECK_PLACE } from "../entities/installation";

const VERSION = 2;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAC_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const MIN_BYTES = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;
const CHECK_TEXT = "quittance";
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/**
 * Keys come from `APP_SECRET`. AES-256-GCM: version (1 byte) | key id (4) | nonce (12) | tag (16) | ciphertext; header
 * and place are associated data. HMAC-SHA256: key id (4) | 16 bytes.
 */
export interface SecretBox extends SecretsPort {
  /** In the installation's row, so that a wrong `APP_SECRET` is refused at start. */
  makeCheckValue(): Buffer;
  /** Under the present secret or the old one. */
  checkValueMatches(checkValue: Buffer): boolean;
}

interface Key {
  /** Reveals nothing: derived from the same secret, but not from the key. */
  id: Buffer;
  key: Buffer;
  macKey: Buffer;
  lookupKey: Buffer;
}

function deriveKey(secret: string): Key {
  const derive = (use: string, length: number) =>
    Buffer.from(hkdfSync("sha256", secret, "", `quittance ${use} v1`, length));
  return {
    id: derive("key id", KEY_ID_BYTES),
    key: derive("encryption", 32),
    macKey: derive("mac", 32),
    lookupKey: derive("lookup", 32),
  };
}

function associatedData(header: Buffer, place: SealedPlace): Buffer {
  return Buffer.concat([header, Buffer.from(JSON.stringify([place.table, place.column, place.row]))]);
}

function encryptWith({ id, key }: Key, text: string, place: SealedPlace): Buffer {
  const header = Buffer.concat([Buffer.of(VERSION), id]);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(associatedData(header, place));
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([header, nonce, cipher.getAuthTag(), data]);
}

function decryptWith({ key }: Key, encrypted: Buffer, place: SealedPlace): string {
  const tagAt = HEADER_BYTES + NONCE_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", key, encrypted.subarray(HEADER_BYTES, tagAt), {
    authTagLength: TAG_BYTES,
  });
  decipher
    .setAAD(associatedData(encrypted.subarray(0, HEADER_BYTES), place))
    .setAuthTag(encrypted.subarray(tagAt, MIN_BYTES));
  return Buffer.concat([decipher.update(encrypted.subarray(MIN_BYTES)), decipher.final()]).toString("utf8");
}

function keyOf(keys: readonly Key[], encrypted: Buffer): Key {
  if (encrypted.length < MIN_BYTES || encrypted[0] !== VERSION)
    throw new Error("not a value encrypted by this service");
  const id = encrypted.subarray(1, HEADER_BYTES);
  const key = keys.find((candidate) => candidate.id.equals(id));
  if (key === undefined) throw new Error("encrypted with another APP_SECRET: set that one as APP_SECRET_OLD");
  return key;
}

/** No two lists of fields have the same text. */
function macWith({ id, macKey }: Key, fields: readonly string[]): Buffer {
  const digest = createHmac("sha256", macKey).update(JSON.stringify(fields)).digest();
  return Buffer.concat([id, digest.subarray(0, MAC_BYTES)]);
}

function macMatchesWith(keys: readonly Key[], mac: Buffer | null, fields: readonly string[]): boolean {
  if (mac?.length !== KEY_ID_BYTES + MAC_BYTES) return false;
  const key = keys.find(({ id }) => id.equals(mac.subarray(0, KEY_ID_BYTES)));
  return key !== undefined && timingSafeEqual(mac, macWith(key, fields));
}

/** New values are under `appSecret`. */
export function makeSecretBox(options: { appSecret: string; appSecretOld?: string | undefined }): SecretBox {
  const current = deriveKey(options.appSecret);
  const former = options.appSecretOld === undefined ? null : deriveKey(options.appSecretOld);
  const keys = former === null ? [current] : [current, former];
  const decrypt = (encrypted: Buffer, place: SealedPlace) =>
    decryptWith(keyOf(keys, encrypted), encrypted, place);
  return {
    encrypt: (text, place) => encryptWith(current, text, place),
    decrypt,
    needsReencryption: (encrypted) => keyOf(keys, encrypted) !== current,
    mac: (fields) => macWith(current, fields),
    macMatches: (mac, fields) => macMatchesWith(keys, mac, fields),
    formerKeyId: former?.id ?? null,
    lookupHashes: (text) =>
      keys.map(({ lookupKey }) => createHmac("sha256", lookupKey).update(text).digest()),
    makeCheckValue: () => encryptWith(current, CHECK_TEXT, SECRET_CHECK_PLACE),
    checkValueMatches(value) {
      try {
        return decrypt(value, SECRET_CHECK_PLACE) === CHECK_TEXT;
      } catch {
        return false;
      }
    },
  };
}

/** 58 does not divide 256: bytes above would favour the first characters. */
const BASE58_BYTES = 4 * 58;

function randomBase58(length: number): string {
  let text = "";
  while (text.length < length)
    for (const byte of randomBytes(length - text.length))
      if (byte < BASE58_BYTES) text += BASE58.charAt(byte % 58);
  return text;
}

/** Distinguishes ids from those that shops know with an underscore (domain/greenfield/id-text.ts). */
const ID_LENGTH = 25;

/** Prefix, "_" and random base58 (146 bits): `inv_…`. */
export function randomId(prefix: string): string {
  return `${prefix}_${randomBase58(ID_LENGTH)}`;
}

export function newStoreId(): string {
  return randomBase58(44);
}
