import * as secp256k1 from "tiny-secp256k1";
import { BIP32Factory } from "bip32";
import { initEccLib } from "bitcoinjs-lib";

// Taproot payments of bitcoinjs-lib refuse to work until a curve was handed over; importing this does it.
initEccLib(secp256k1);

export const bip32 = BIP32Factory(secp256k1);
