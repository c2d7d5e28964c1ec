import { invalidField } from "../errors";
import type { Network } from "../network";
import { parseDescriptorParts, parseKeyExpression, type KeyExpression } from "./descriptor";
import {
  multisigMessage,
  parseExtendedKey,
  PRIVATE_KEY_MESSAGE,
  refusePrivate,
  TYPING_ERROR,
  type ExtendedKey,
} from "./extended-key";
import type { ScriptType } from "./script-type";
import { readTypedAddress, type TypedAddress } from "./typed-address";
import { readWalletFile } from "./wallet-file";
import {
  accountsInText,
  cleaned,
  isBitcoinPath,
  isDescriptor,
  type NamedAccount,
  withoutChange,
} from "./wallet-text";

const XPUB = "/xpub";
const DESCRIPTOR = "/descriptor";
/** BIP 44, 49, 84 and 86: 3; Electrum's own seeds: 0 (pkh) and 1 (wpkh). */
const ACCOUNT_DEPTH_MAX = 3;
/** For files that wallets export; a key or a descriptor has at most 200 characters. */
export const WALLET_TEXT_MAX = 64_000;
/** In any case: one typed in capitals has an error too. */
const LOOKS_LIKE_KEY = /^(?:\[[^\]]*\])?[xyztuv]pub[0-9a-z]*$/i;
/** "2-of-", "Policy: 2 of 3": how many of a wallet's keys sign. */
const QUORUM = /\b\d{1,2}[\s-]?of[\s-]?\d?/i;
const WORDS_MAX = 20;

export interface AccountKey {
  scriptType: ScriptType;
  /** xpub or tpub. */
  xpub: string;
  /** Hex of chain code and public key: equal for every form of the same key. */
  accountKey: string;
  /** BIP 32, 8 hex digits. */
  fingerprint: string;
  /** Where given: the master key's fingerprint and the account's path, `d34db33f/84h/0h/0h`. */
  origin?: string;
}

export type AccountKeyInput = { xpub: string; scriptType?: ScriptType | undefined } | { descriptor: string };

/**
 * xpub, ypub, zpub, tpub, upub or vpub with what wallets write beside it, a descriptor, or a wallet's file.
 * @throws DomainError `validation-failed` at /xpub, /scriptType or /descriptor; its text never holds the key.
 */
export function parseAccountKey(input: AccountKeyInput, network: Network): AccountKey {
  const [text, pointer, wanted] =
    "descriptor" in input
      ? [cleaned(input.descriptor), DESCRIPTOR, undefined]
      : [cleaned(input.xpub), XPUB, input.scriptType];
  refusePrivate(text, pointer);
  if (text.length > WALLET_TEXT_MAX) throw invalidField(pointer, "This is too long for one account's key.");
  const file = readWalletFile(text);
  if (file?.holdsSecret === true) throw invalidField(pointer, PRIVATE_KEY_MESSAGE);
  if (file === undefined) checkField(text, pointer);
  const named = withoutChange(file === undefined ? accountsInText(text) : file.accounts);
  if (file?.isMultisig === true || (file === undefined && isMultisig(text, named)))
    throw invalidField(pointer, multisigMessage(file === undefined ? "This" : "This file"));
  if (named.length === 0) throw invalidField(pointer, noKeyMessage(text, file !== undefined, network));
  return chosen(
    named.map((account) => accountKeyOf(account, { pointer, network, wanted, alone: named.length === 1 })),
    wanted,
  );
}

function isMultisig(text: string, named: readonly NamedAccount[]): boolean {
  const several = new Set(named.map((account) => account.text)).size > 1;
  return (several && QUORUM.test(text)) || (named.length > 0 && named.every((account) => account.isMultisig));
}

function checkField(text: string, pointer: string): void {
  if (pointer === XPUB && isDescriptor(text))
    throw invalidField(
      XPUB,
      "This looks like a descriptor. Send it in the field descriptor, or the bare key here.",
    );
  if (pointer === DESCRIPTOR && LOOKS_LIKE_KEY.test(text))
    throw invalidField(
      DESCRIPTOR,
      "This is a key, not a descriptor. Send it in the field xpub, or as wpkh(KEY), tr(KEY), sh(wpkh(KEY)) or pkh(KEY).",
    );
}

/** A text may name an account twice. */
function chosen(accounts: readonly AccountKey[], wanted: ScriptType | undefined): AccountKey {
  const fitting = accounts.filter(({ scriptType }) => wanted === undefined || scriptType === wanted);
  const [first, ...others] = new Map(
    fitting.map((account) => [`${account.scriptType} ${account.accountKey}`, account]),
  ).values();
  if (first !== undefined && others.length === 0) return first;
  const choices = accounts.map(({ scriptType, origin }) =>
    origin === undefined ? scriptType : `${scriptType} (${origin})`,
  );
  const differ = new Set(accounts.map(({ scriptType }) => scriptType)).size > 1;
  throw invalidField(
    "/scriptType",
    `There are several accounts: ${(differ ? [...new Set(choices)] : choices).join(", ")}. Send ${differ ? "the scriptType of the one that is meant, or its key alone" : "the key of the one that is meant alone"}.`,
  );
}

function noKeyMessage(text: string, isFile: boolean, network: Network): string {
  if (isFile)
    return "This is a file without an account's key. Export the wallet's public key or its descriptor, or paste the zpub.";
  const typed = readTypedAddress(text, network);
  const words = text.split(/[\s"':=<>]+/, WORDS_MAX).map((word) => readTypedAddress(word, network));
  if (
    [typed, ...words].some((one) => "address" in one || one.fault === "other-network") ||
    isTypingError(typed)
  )
    return "This is an address: a single one. Send the key that the wallet's addresses are derived from (zpub, xpub …).";
  if ("fault" in typed && typed.fault === "lightning")
    return "This is for payments by Lightning, which the store's LND receives. Here goes the key of an on-chain wallet's account (zpub, xpub …).";
  if (LOOKS_LIKE_KEY.test(text)) return TYPING_ERROR;
  if (/^BIE1/.test(text))
    return "This is an encrypted wallet file. Open it in its wallet, and send the account's zpub.";
  return "There is no extended public key in this text. Send the account's key (zpub, xpub …) or its descriptor.";
}

const isTypingError = (typed: TypedAddress): boolean => "fault" in typed && typed.fault === "typing-error";

interface Given {
  pointer: string;
  network: Network;
  wanted: ScriptType | undefined;
  /** `wanted` is about this account only. */
  alone: boolean;
}

function accountKeyOf(account: NamedAccount, { pointer, network, wanted, alone }: Given): AccountKey {
  const parts: KeyExpression & { scriptType?: ScriptType } = isDescriptor(account.text)
    ? parseDescriptorParts(account.text, pointer)
    : parseKeyExpression(account.text, pointer);
  const key = parseExtendedKey(parts.key, network, pointer);
  const named = parts.scriptType ?? account.scriptType;
  if (account.path !== undefined && !isBitcoinPath(account.path))
    throw invalidField(pointer, `This key is of another coin than Bitcoin, by its path (${account.path}).`);
  if (key.scriptType !== undefined && named !== undefined && key.scriptType !== named) {
    throw invalidField(
      pointer,
      `The key's prefix means ${key.scriptType}, but ${parts.scriptType === undefined ? "what stands beside it means" : "the descriptor is"} ${named}. Send the key as xpub or tpub.`,
    );
  }
  const fixed = named ?? key.scriptType;
  if (alone && fixed !== undefined && wanted !== undefined && fixed !== wanted) {
    throw invalidField(
      "/scriptType",
      `The key's ${named === undefined ? "prefix" : "origin"} means ${fixed}, but scriptType is ${wanted}. Leave scriptType out, or send the key alone, as xpub or tpub.`,
    );
  }
  const scriptType = fixed ?? wanted ?? "wpkh";
  // KEY/0/* names the addresses at whatever depth.
  if (!parts.pathIsGiven) checkDepth(key, scriptType, pointer);
  const { xpub, accountKey, fingerprint } = key;
  return {
    scriptType,
    xpub,
    accountKey,
    fingerprint,
    ...(parts.origin === undefined ? {} : { origin: parts.origin }),
  };
}

/**
 * Wallet software would never scan below a deeper key, or a master key: only Electrum's wallets from before segwit do.
 */
function checkDepth({ depth }: ExtendedKey, scriptType: ScriptType, pointer: string): void {
  if (depth > ACCOUNT_DEPTH_MAX) {
    throw invalidField(
      pointer,
      `This key is below an account (depth ${depth}, an account has depth 3 or less): your wallet would not see payments to its addresses. Send the account's key, or a descriptor that spells out its path (KEY/0/*).`,
    );
  }
  if (depth === 0 && scriptType !== "pkh") {
    throw invalidField(
      pointer,
      "This is a master key (depth 0): wallets show no addresses directly below it, so you would not see payments to them. Export the key of an account (zpub, or xpub at m/84'/0'/0'). If it is the master public key of an Electrum legacy wallet (addresses that begin with 1), send it with the script type pkh.",
    );
  }
}
