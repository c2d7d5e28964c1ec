const BASE58 = "[1-9A-HJ-NP-Za-km-z]";
/** At the beginning of a word: inside a public key the letters occur by chance. */
const EXTENDED_PRIVATE_KEY = new RegExp(`(?<!${BASE58})[xyztuvYZUV]prv${BASE58}{16,}`);
/** WIF (mainnet and test networks, compressed or not) and BIP 38. */
const SINGLE_PRIVATE_KEY = new RegExp(`^(?:[5KL9c]${BASE58}{50,51}|6P${BASE58}{56})$`);
const HEX_PRIVATE_KEY = /^(?:0x)?[0-9a-f]{64}$/i;
const SEED_WORDS_MIN = 12;

/** By the form and not the checksum, so that a key with a typing error is detected too. */
export function looksPrivate(text: string): boolean {
  if (EXTENDED_PRIVATE_KEY.test(text) || HEX_PRIVATE_KEY.test(text)) return true;
  if (text.split(/[^1-9A-Za-z]+/).some((token) => SINGLE_PRIVATE_KEY.test(token))) return true;
  // Without the numbers of a backup card.
  const words = text.split(/[\s,]+/).filter((word) => !/^\d{1,2}[.):]?$/.test(word));
  return words.length >= SEED_WORDS_MIN && words.every((word) => /^\p{L}{1,12}$/u.test(word));
}
