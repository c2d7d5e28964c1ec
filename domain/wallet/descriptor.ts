import { invalidField } from "../errors";
import { descriptorChecksum } from "./descriptor-checksum";
import { multisigMessage } from "./extended-key";
import type { ScriptType } from "./script-type";

export interface KeyExpression {
  key: string;
  /** By `/0/*`, `/<0;1>/*` or BIP 388's `/**`. */
  pathIsGiven: boolean;
  /** The master key's fingerprint, and the account's path: `d34db33f/84h/0h/0h`. */
  origin: string | undefined;
}

const WRAPPERS: readonly { scriptType: ScriptType; open: string; close: string }[] = [
  { scriptType: "wpkh", open: "wpkh(", close: ")" },
  { scriptType: "tr", open: "tr(", close: ")" },
  { scriptType: "sh-wpkh", open: "sh(wpkh(", close: "))" },
  { scriptType: "pkh", open: "pkh(", close: ")" },
];
const ORIGIN = /^\[[0-9a-fA-F]{8}(?:\/\d{1,10}['hH]?)*\]/;
const SUPPORTED = "wpkh(KEY), tr(KEY), sh(wpkh(KEY)) and pkh(KEY)";

/**
 * A single key's (BIP 380 to 386, BIP 389 for `<0;1>`), with or without origin and checksum; the key is checked
 * elsewhere.
 * @throws DomainError `validation-failed` at `pointer`; its text never holds the key.
 */
export function parseDescriptorParts(text: string, pointer: string) {
  const body = withoutChecksum(text, pointer);
  if (/\b(?:sorted)?multi(?:_a)?\(/.test(body))
    throw invalidField(pointer, multisigMessage("This descriptor"));
  const wrapper = WRAPPERS.find(({ open, close }) => body.startsWith(open) && body.endsWith(close));
  const inner = wrapper && body.slice(wrapper.open.length, -wrapper.close.length);
  if (wrapper === undefined || inner === undefined || /[(),{}]/.test(inner)) {
    throw invalidField(pointer, `This descriptor is not supported. Use ${SUPPORTED} with a single key.`);
  }
  const expression = parseKeyExpression(inner, pointer);
  const { key } = expression;
  if (/^@\d+$/.test(key)) {
    throw invalidField(
      pointer,
      "This is the template of a wallet policy: its keys are missing. Send the descriptor with the account's key in place of @0.",
    );
  }
  if (/^(?:0[23])?[0-9a-fA-F]{64}$/.test(key)) {
    throw invalidField(
      pointer,
      "This descriptor holds a single public key, so it has only one address. Use an extended public key (xpub, tpub).",
    );
  }
  return { scriptType: wrapper.scriptType, ...expression };
}

/**
 * With or without origin (BIP 380) and path.
 * @throws DomainError `validation-failed` at `pointer`; its text never holds the key.
 */
export function parseKeyExpression(text: string, pointer: string): KeyExpression {
  const withoutOrigin = text.replace(ORIGIN, "");
  if (withoutOrigin.startsWith("[")) {
    throw invalidField(pointer, "The key origin must have the form [d34db33f/84h/0h/0h].");
  }
  const slash = withoutOrigin.indexOf("/");
  const key = slash < 0 ? withoutOrigin : withoutOrigin.slice(0, slash);
  const path = withoutOrigin.slice(key.length);
  if (!["", "/0/*", "/<0;1>/*", "/**"].includes(path)) throw invalidField(pointer, pathMessage(path));
  const origin = ORIGIN.exec(text)?.[0].slice(1, -1).toLowerCase().replaceAll("'", "h");
  return { key, pathIsGiven: path !== "", origin };
}

function withoutChecksum(text: string, pointer: string): string {
  const hash = text.lastIndexOf("#");
  if (hash < 0) return text;
  const body = text.slice(0, hash);
  if (text.slice(hash + 1) !== descriptorChecksum(body)) {
    throw invalidField(
      pointer,
      "The descriptor's checksum is wrong: it was changed or has a typing error. Copy it again from the wallet.",
    );
  }
  return body;
}

function pathMessage(path: string): string {
  const wanted = "Addresses come from /0/*: use KEY, KEY/0/* or KEY/<0;1>/*.";
  if (/['hH]/.test(path)) return `A public key has no hardened children. ${wanted}`;
  if (path === "/1/*") return `This is the path of the wallet's change addresses. ${wanted}`;
  return `The path after the key is not supported. ${wanted}`;
}
