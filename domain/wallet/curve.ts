import * as secp256k1 from "tiny-secp256k1";
import { BIP32Factory } from "bip32";
import { initEccLib } from "bitcoinjs-lib";

// Taproot in bitcoinjs-lib needs it; importing this file sets it.
initEccLib(secp256k1);

export const bip32 = BIP32Factory(secp256k1);
