/** A refusal's meaning for other nodes. */
export type RefusalMeaning =
  /** A coin that it spends is spent, or made by a transaction that this node does not have. */
  | "inputs-missing"
  /** Perhaps by an ancestor that we have not kept. */
  | "ancestors-missing"
  /** It contradicts another transaction, or a rule that all nodes have. */
  | "void"
  /** A limit of this node: others may have it, and mine it. */
  | "policy";

/** Why a node refuses a transaction that it does not have. */
export interface NodeRefusal {
  meaning: RefusalMeaning;
  /** The node's own words. */
  reason: string;
}

const INPUTS_MISSING = "bad-txns-inputs-missingorspent";
/** Conflicts, and rules of consensus that no later block changes (Bitcoin Core's validation.cpp, tx_check.cpp, tx_verify.cpp). */
const VOID = [
  "txn-mempool-conflict",
  "bad-txns-spends-conflicting-tx",
  "bad-txns-in-belowout",
  "bad-txns-inputvalues-outofrange",
  "bad-txns-fee-outofrange",
  "bad-txns-vin-empty",
  "bad-txns-vout-",
  "bad-txns-oversize",
  "bad-txns-txouttotal-toolarge",
  "bad-txns-inputs-duplicate",
  "bad-txns-prevout-null",
  "mandatory-script-verify-flag-failed",
  "block-script-verify-flag-failed",
];

/** By the node's words, in which a code stands first; what is not known is taken for the node's own policy. */
export function meaningOf(reason: string): RefusalMeaning {
  if (reason.startsWith(INPUTS_MISSING)) return "inputs-missing";
  return VOID.some((code) => reason.startsWith(code)) ? "void" : "policy";
}
