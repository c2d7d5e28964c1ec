/** BIP 84, BIP 86, BIP 49 and BIP 44, in this order. */
export const SCRIPT_TYPES = ["wpkh", "tr", "sh-wpkh", "pkh"] as const;
export type ScriptType = (typeof SCRIPT_TYPES)[number];

/** BIP 43. */
export const PURPOSES: Readonly<Record<string, ScriptType>> = {
  84: "wpkh",
  86: "tr",
  49: "sh-wpkh",
  44: "pkh",
};
