import { invalidField } from "../errors";
import type { Network } from "../network";
import { parseDescriptorParts } from "./descriptor";
import { parseExtendedKey, refusePrivate, type ExtendedKey } from "./extended-key";
import type { ScriptType } from "./script-type";

const XPUB = "/xpub";
const DESCRIPTOR = "/descriptor";
/** BIP 44, 49, 84 and 86 accounts are at depth 3; Electrum's own seeds use 0 (pkh) and 1 (wpkh). */
const ACCOUNT_DEPTH_MAX = 3;
/** Far more than any descriptor of one key needs. */
const TEXT_LENGTH_MAX = 1_000;

/** A merchant's account key: everything that addresses are derived from. */
export interface AccountKey {
  scriptType: ScriptType;
  /** The key in its network's plain form (xpub or tpub). */
  xpub: string;
  /** Hex of chain code and public key: equal for every form of the same key. */
  accountKey: string;
  /** The key's own BIP 32 fingerprint, 8 hex digits. */
  fingerprint: string;
}

export type AccountKeyInput = { xpub: string; scriptType?: ScriptType | undefined } | { descriptor: string };

/**
 * Reads what a merchant gives for a store's addresses: xpub, ypub, zpub, tpub, upub or vpub, or a descriptor.
 * @throws DomainError `validation-failed` at /xpub, /scriptType or /descriptor; its text never holds the key.
 */
export function parseAccountKey(input: AccountKeyInput, network: Network): AccountKey {
  return "descriptor" in input
    ? fromDescriptor(input.descriptor.trim(), network)
    : fromXpub(input.xpub.trim(), input.scriptType, network);
}

function fromXpub(text: string, wanted: ScriptType | undefined, network: Network): AccountKey {
  checkText(text, XPUB);
  if (text.includes("(") || text.startsWith("[")) {
    throw invalidField(
      XPUB,
      "This looks like a descriptor or a key with its origin. Send a descriptor in the field descriptor, or the bare key here.",
    );
  }
  const key = parseExtendedKey(text, network, XPUB);
  const scriptType = wanted ?? key.scriptType ?? "wpkh";
  if (key.scriptType !== undefined && key.scriptType !== scriptType) {
    throw invalidField(
      "/scriptType",
      `The key's prefix means ${key.scriptType}, but scriptType is ${scriptType}. Leave scriptType out, or send the key as xpub or tpub.`,
    );
  }
  checkDepth(key, XPUB);
  return accountKeyOf(key, scriptType);
}

function fromDescriptor(text: string, network: Network): AccountKey {
  checkText(text, DESCRIPTOR);
  const parts = parseDescriptorParts(text, DESCRIPTOR);
  const key = parseExtendedKey(parts.key, network, DESCRIPTOR);
  if (key.scriptType !== undefined && key.scriptType !== parts.scriptType) {
    throw invalidField(
      DESCRIPTOR,
      `The key's prefix means ${key.scriptType}, but the descriptor is ${parts.scriptType}. Send the key as xpub or tpub.`,
    );
  }
  // With KEY/0/* spelled out, the meant addresses are known at whatever depth.
  if (!parts.pathIsGiven) checkDepth(key, DESCRIPTOR);
  return accountKeyOf(key, parts.scriptType);
}

function checkText(text: string, pointer: string): void {
  refusePrivate(text, pointer);
  if (text.length > TEXT_LENGTH_MAX) throw invalidField(pointer, "This is too long for a single key.");
}

/** A deeper key is a chain or an address of an account: wallet software would never scan the addresses below it. */
function checkDepth(key: ExtendedKey, pointer: string): void {
  if (key.depth <= ACCOUNT_DEPTH_MAX) return;
  throw invalidField(
    pointer,
    `This key is below an account (depth ${key.depth}, an account has depth 3 or less): your wallet would not see payments to its addresses. Send the account's key, or a descriptor that spells out its path (KEY/0/*).`,
  );
}

function accountKeyOf(key: ExtendedKey, scriptType: ScriptType): AccountKey {
  return { scriptType, xpub: key.xpub, accountKey: key.accountKey, fingerprint: key.fingerprint };
}
