import type { ScriptType } from "./script-type";
import {
  accountOf,
  accountsInText,
  cleaned,
  isBitcoinPath,
  isMultisigPath,
  type NamedAccount,
  typeOfPath,
} from "./wallet-text";

const PATH = /^(?:m\/)?\d+['hH]\/\d+['hH](?:\/\d+['hH])?/;
/** Inside a longer text (an id) is no account's key. */
const KEY_OR_DESCRIPTOR = /^(?:\[|[a-z]+\(|(?=[a-zA-Z]pub)).*[a-zA-Z]pub[1-9A-HJ-NP-Za-km-z]{20}/s;
const SECRET_NAME = /^(encrypted_?)?(seed|secret|mnemonic|xprv|xpriv|wif|private_?key|passphrase)$/i;
/** No wallet nests deeper. */
const DEPTH_MAX = 16;
/** Null: of several keys. */
const SCRIPT_NAMES: ReadonlyMap<string, ScriptType | null> = new Map([
  ["p2wpkh", "wpkh"],
  ["p2sh-p2wpkh", "sh-wpkh"],
  ["p2wpkh-p2sh", "sh-wpkh"],
  ["p2pkh", "pkh"],
  ["p2tr", "tr"],
  ...["p2wsh", "p2sh-p2wsh", "p2wsh-p2sh"].map((name) => [name, null] as const),
]);

type Fields = Record<string, unknown>;

export interface WalletFile {
  accounts: NamedAccount[];
  isMultisig: boolean;
  /** Encrypted or not. */
  holdsSecret: boolean;
}

/**
 * Any program's: keys and descriptors, and beside them the path or the name of the scripts. Undefined for another text.
 */
export function readWalletFile(text: string): WalletFile | undefined {
  const json = /^[[{]/.test(text) ? parsed(text) : undefined;
  if (json === undefined) return undefined;
  const objects = [...objectsIn(json)];
  const policies = objects.flatMap(({ fields }) => policyOf(fields));
  const all = policies.length > 0 ? policies : objects.flatMap(accountsOf);
  const single = all.filter(({ isMultisig, path }) => isMultisig !== true && isBitcoinPath(path ?? ""));
  // A file that names its accounts' paths has the master key beside them, without one.
  const named = single.filter(({ scriptType, text: own }) => scriptType !== undefined || own.includes("("));
  const isOfSeveral = objects.some(
    ({ fields: { wallet_type: type } }) => typeof type === "string" && /^(\d+of\d+|2fa)/.test(type),
  );
  return {
    accounts: named.length > 0 ? named : single,
    isMultisig: isOfSeveral || (named.length === 0 && all.some(({ isMultisig }) => isMultisig)),
    holdsSecret: objects.some(({ fields }) => holdsSecret(fields)),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

interface Placed {
  fields: Fields;
  scripts: ScriptType | null | undefined;
}

function* objectsIn(value: unknown, scripts?: ScriptType | null, depth = 0): Generator<Placed> {
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return;
  const fields = value as Fields;
  yield { fields, scripts };
  const own = scriptsOf(fields);
  for (const item of Object.values(fields))
    yield* objectsIn(item, own === undefined ? scripts : own, depth + 1);
}

function scriptsOf(fields: Fields): ScriptType | null | undefined {
  const names = textsOf(fields).map(([, text]) => text.toLowerCase().replaceAll("_", "-"));
  return names.map((name) => SCRIPT_NAMES.get(name)).find((type) => type !== undefined);
}

/** BIP 388: a template, and the keys that belong in it. */
function policyOf(fields: Fields): NamedAccount[] {
  const template = textsOf(fields).find(([, text]) => /@\d+\//.test(text))?.[1];
  const keys = Object.values(fields).find((list) => Array.isArray(list)) as unknown[] | undefined;
  if (template === undefined || keys === undefined) return [];
  const keyAt = (name: string, at: string) =>
    typeof keys[Number(at)] === "string" ? String(keys[Number(at)]) : name;
  return [accountOf(template.replace(/@(\d+)/g, keyAt))];
}

function accountsOf({ fields, scripts: around }: Placed): NamedAccount[] {
  const keys = textsOf(fields).filter(([, text]) => KEY_OR_DESCRIPTOR.test(text));
  const own = scriptsOf(fields);
  const scripts = own === undefined ? around : own;
  return keys.flatMap(([name, text]) => {
    const path = pathBeside(fields, isTaproot(name));
    const scriptType =
      scripts ?? (isTaproot(name) ? "tr" : path === undefined ? undefined : typeOfPath(path));
    const isMultisig = scripts === null || (path !== undefined && isMultisigPath(path));
    return accountsInText(text).map((account) => ({
      ...account,
      scriptType: scripts ?? account.scriptType ?? scriptType,
      path: account.path ?? path,
      isMultisig: account.isMultisig ?? isMultisig,
    }));
  });
}

/** In the same object, or in one of its own that holds no key. Wasabi has two of each, one for taproot. */
function pathBeside(fields: Fields, ofTaproot: boolean): string | undefined {
  const inner = Object.values(fields).filter(
    (value): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value),
  );
  const near = inner.map(textsOf).filter((texts) => !texts.some(([, text]) => KEY_OR_DESCRIPTOR.test(text)));
  const paths = [...textsOf(fields), ...near.flat()].filter(([, text]) => PATH.test(text));
  return (paths.find(([name]) => isTaproot(name) === ofTaproot) ?? paths[0])?.[1];
}

const isTaproot = (name: string): boolean => /taproot/i.test(name);

const textsOf = (fields: Fields): [name: string, text: string][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, cleaned(value)]] : [],
  );

const holdsSecret = (fields: Fields): boolean =>
  Object.entries(fields).some(
    ([name, value]) => SECRET_NAME.test(name) && typeof value === "string" && value !== "",
  );
