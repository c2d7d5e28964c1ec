import type { ScriptType } from "../../api/settings";

/** As wallets call them. */
export const SCRIPT_TYPES: Record<ScriptType, string> = {
  wpkh: "Native SegWit (BIP 84)",
  tr: "Taproot (BIP 86)",
  "sh-wpkh": "Nested SegWit (BIP 49)",
  pkh: "Legacy (BIP 44)",
};

export const SCRIPT_TYPE_CHOICES = Object.entries(SCRIPT_TYPES).map(([value, label]) => ({ value, label }));
