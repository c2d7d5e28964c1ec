import { NETWORKS, type Network } from "../network";
import { addressOfScript, scriptOfAddress } from "./address";

export type AddressFault = "empty" | "lightning" | "other-network" | "typing-error" | "no-address";

export type TypedAddress = { address: string; scriptPubKey: Buffer } | { fault: AddressFault };

/** White space, and invisible marks that are copied along with text (of direction, of zero width). */
const UNSEEN = /[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** BOLT11, LNURL, BOLT12 offers, and Lightning addresses, which look like mail. */
const LIGHTNING = /^(lightning:|ln(bc|tb|bcrt|tbs)[0-9]|lnurl|lno1|[^@]+@[^@]+$)/i;
const LOOKS_LIKE_ADDRESS = /^((bc|tb|bcrt)1[0-9a-z]{8,}|[123mn][0-9a-z]{24,36})$/i;

/**
 * bech32 (also in capitals), bech32m or base58, with spaces, or a `bitcoin:` URI (BIP 21). The result is in
 * the form that wallets use.
 */
export function readTypedAddress(text: string, network: Network): TypedAddress {
  const bare = text.replaceAll(UNSEEN, "");
  const [typed = "", parameters] = bare.replace(/^bitcoin:(\/\/)?/i, "").split("?");
  if (typed === "")
    return {
      fault: parameters !== undefined && /(^|&)(lightning|lno)=/i.test(parameters) ? "lightning" : "empty",
    };
  const scriptPubKey = scriptOfAddress(typed, network);
  const address = scriptPubKey && addressOfScript(scriptPubKey, network);
  if (scriptPubKey && address !== null) return { address, scriptPubKey };
  if (LIGHTNING.test(typed)) return { fault: "lightning" };
  if (NETWORKS.some((other) => scriptOfAddress(typed, other) !== null)) return { fault: "other-network" };
  return { fault: LOOKS_LIKE_ADDRESS.test(typed) ? "typing-error" : "no-address" };
}
