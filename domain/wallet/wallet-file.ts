import { accountOf, accountsInText, cleaned, type NamedAccount, purposeOf, typeOfPath } from "./wallet-text";

/** Of BIP 45 and BIP 48. */
const MULTISIG_PURPOSES: readonly (string | undefined)[] = ["45", "48"];
const PATH = /^(?:m\/)?\d+['hH]\/(\d+)['hH](?:\/\d+['hH])?/;
const SECRET_NAME = /^(seed|mnemonic|xprv|xpriv|wif|private_?key|passphrase)$/i;
/** No wallet's file is nested deeper. */
const DEPTH_MAX = 16;

type Fields = Record<string, unknown>;

/** What a wallet program's file says of its accounts. */
export interface WalletFile {
  accounts: NamedAccount[];
  /** Whether it belongs to a wallet of several keys. */
  isMultisig: boolean;
  /** Whether it holds what can spend, encrypted or not. */
  holdsSecret: boolean;
}

/**
 * Reads a wallet's file in JSON, of whichever program, by what its texts are: keys and descriptors, and the path in
 * the same object. Undefined for a text that is not such a file.
 */
export function readWalletFile(text: string): WalletFile | undefined {
  const json = /^[[{]/.test(text) ? parsed(text) : undefined;
  if (json === undefined) return undefined;
  const objects = [...objectsIn(json)];
  const policies = objects.flatMap(policyOf);
  const all = policies.length > 0 ? policies : objects.flatMap(accountsOf);
  const multisig = all.filter(
    ({ path }) => path !== undefined && MULTISIG_PURPOSES.includes(purposeOf(path)),
  );
  const single = all.filter((account) => !multisig.includes(account) && isBitcoin(account));
  // A file that names the paths of its accounts has the master key beside them, without one.
  const named = single.filter(({ scriptType }) => scriptType !== undefined);
  return {
    accounts: named.length > 0 ? named : single,
    isMultisig:
      (multisig.length > 0 && single.length === 0) ||
      objects.some(({ wallet_type: type }) => typeof type === "string" && /^\d+of\d+$/.test(type)),
    holdsSecret: objects.some(holdsSecret),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function* objectsIn(value: unknown, depth = 0): Generator<Fields> {
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return;
  yield value as Fields;
  for (const item of Object.values(value)) yield* objectsIn(item, depth + 1);
}

/** BIP 388: a template, and the keys that belong in it. */
function policyOf(fields: Fields): NamedAccount[] {
  const template = textsOf(fields).find((text) => /@\d+\//.test(text));
  const keys = Object.values(fields).find((list) => Array.isArray(list)) as unknown[] | undefined;
  if (template === undefined || keys === undefined) return [];
  const keyAt = (name: string, at: string) =>
    typeof keys[Number(at)] === "string" ? String(keys[Number(at)]) : name;
  return [accountOf(template.replace(/@(\d+)/g, keyAt))];
}

function accountsOf(fields: Fields): NamedAccount[] {
  const texts = textsOf(fields).map(cleaned);
  const path = texts.find((text) => PATH.test(text));
  const beside = path === undefined ? {} : { path, scriptType: typeOfPath(path) };
  return texts.flatMap((text) => {
    // A key inside a longer text (an id) is not what the file says of its account.
    const accounts = /^(?:\[|[a-zA-Z]pub|[a-z]+\()/.test(text) ? accountsInText(text) : [];
    return accounts.map((account) =>
      account.scriptType === undefined ? { ...account, ...beside } : account,
    );
  });
}

const textsOf = (fields: Fields): string[] =>
  Object.values(fields).filter((value): value is string => typeof value === "string");

/** Of Bitcoin or its test networks, as the coin type of a path says; without a path the key says it. */
const isBitcoin = ({ path = "" }: NamedAccount): boolean => ["0", "1"].includes(PATH.exec(path)?.[1] ?? "0");

const holdsSecret = (fields: Fields): boolean =>
  Object.entries(fields).some(
    ([name, value]) => SECRET_NAME.test(name) && typeof value === "string" && value !== "",
  );
