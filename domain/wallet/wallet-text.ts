import { PURPOSES, type ScriptType } from "./script-type";

/** A key as a wallet writes it, or a descriptor. */
export interface NamedAccount {
  text: string;
  /** By a path beside the key, or BTCPay Server's suffix. */
  scriptType?: ScriptType | undefined;
  /** From the master key. */
  path?: string | undefined;
  /** By its path: several keys. */
  isMultisig?: boolean;
}

const BASE58 = "[1-9A-HJ-NP-Za-km-z]";
/** After the prefix: a complete key has 111 characters. */
const KEY = `[xyztuvYZUV]pub${BASE58}{107}`;
const ORIGIN = "\\[[0-9a-fA-F]{8}[0-9/'hH]*\\]";
/** An argument of something else would be of another kind. */
const KEYS = new RegExp(
  `(?<![(,\\]])(?:${ORIGIN})?${KEY}(?!${BASE58})(?:-\\[[a-z0-9]+\\])*(?:/[0-9*'hH<;>/]+)?`,
  "g",
);
const DESCRIPTORS = /(?<![\w(,])(?:sh\(wpkh|wpkh|pkh|tr)\([^()]*\)+(?:#\S*)?/g;
/** An extended key of another coin, or with a typing error. */
const UNKNOWN_KEY = new RegExp(`^${BASE58}{100,120}$`);
/** Marks that are copied along with text and belong to no key: of zero width, of direction, the soft hyphen. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const PATHS = /\bm(?:\/\d+['hH]){3,4}(?!\/?\d)/g;
const BTCPAY_SUFFIX = /-\[([a-z0-9]+)\]/g;
const BTCPAY_TYPES: Readonly<Record<string, ScriptType>> = { legacy: "pkh", p2sh: "sh-wpkh", taproot: "tr" };

/** Without blanks, quotation marks and invisible marks around it. */
export function cleaned(text: string): string {
  const bare = text.replace(INVISIBLE, "").trim();
  return /^["'`“”„‘’][^]*["'`“”„‘’]$/.test(bare) ? bare.slice(1, -1).trim() : bare;
}

/**
 * Whatever stands around them: a label, further lines, line breaks inside a key. A descriptor of another kind
 * is left to its reader.
 */
export function accountsInText(text: string): NamedAccount[] {
  const joined = withoutBlanks(text);
  for (const candidate of [text, joined]) {
    const descriptors = candidate.match(DESCRIPTORS) ?? [];
    if (descriptors.length === 0 && isDescriptor(joined)) return [{ text: joined }];
    const found = descriptors.length > 0 ? descriptors : (candidate.match(KEYS) ?? []);
    if (found.length > 0) return found.map((one) => beside(text, accountOf(withoutBlanks(one))));
  }
  return UNKNOWN_KEY.test(joined) ? [{ text: joined }] : [];
}

/** A path by itself is a bare key's. */
function beside(text: string, account: NamedAccount): NamedAccount {
  const [path, ...others] = new Set(text.match(PATHS));
  if (path === undefined || others.length > 0 || account.path !== undefined || isDescriptor(account.text))
    return account;
  return { ...placed(path), ...account };
}

const placed = (path: string): Omit<NamedAccount, "text"> => ({
  path,
  scriptType: typeOfPath(path),
  ...(isMultisigPath(path) && { isMultisig: true }),
});

const withoutBlanks = (text: string): string => text.replace(/\s+/g, "");

export const isDescriptor = (text: string): boolean => /^[a-z]+\(/.test(text);

/** A wallet writes one descriptor for payments and one for change: the second adds nothing. */
export function withoutChange(accounts: readonly NamedAccount[]): readonly NamedAccount[] {
  const others = accounts.filter(({ text }) => !/\/1\/\*\)/.test(text));
  return others.length > 0 ? others : accounts;
}

export function accountOf(text: string): NamedAccount {
  if (isDescriptor(text)) return { text };
  const suffix = [...text.matchAll(BTCPAY_SUFFIX)].flatMap(([, name = ""]) => BTCPAY_TYPES[name] ?? [])[0];
  const path = /^\[[0-9a-fA-F]{8}\/(.*?)\]/.exec(text)?.[1];
  return {
    ...(path !== undefined && placed(path)),
    ...(suffix !== undefined && { scriptType: suffix }),
    text: text.replace(BTCPAY_SUFFIX, ""),
  };
}

/** BIP 43. */
export const typeOfPath = (path: string): ScriptType | undefined => PURPOSES[purposeOf(path) ?? ""];

/** BIP 45 and BIP 48. */
export const isMultisigPath = (path: string): boolean => ["45", "48"].includes(purposeOf(path) ?? "");

/** By the coin type, where the path has one (BIP 44). */
export const isBitcoinPath = (path: string): boolean =>
  ["0", "1"].includes(/^(?:m\/)?\d+['hH]\/(\d+)['hH]/.exec(path)?.[1] ?? "0");

const purposeOf = (path: string): string | undefined => /^(?:m\/)?(\d+)['hH]/.exec(path)?.[1];
