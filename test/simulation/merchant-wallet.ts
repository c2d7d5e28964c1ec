import { payments } from "bitcoinjs-lib";
import { bip32 } from "../../domain/wallet/curve";
import { networkParams } from "../../domain/wallet/network-params";

const NETWORK = networkParams("regtest");
/** So many unused addresses wallets search beyond the last one that they know. */
const GAP = 20;

/** The wallet in which a merchant finds money: it knows a key, and the addresses that follow each other. */
export class MerchantWallet {
  private readonly known = new Map<string, number>();
  private readonly chain;
  /** Searched up to here. */
  private next = 0;
  private last = -1;

  constructor(readonly xpub: string) {
    this.chain = bip32.fromBase58(xpub, NETWORK).derive(0);
  }

  /** Where to go on, by the merchant. */
  goOnAt(index: number): void {
    this.next = index;
    this.last = index - 1;
  }

  /** Whether money sent there is found. */
  finds(address: string): boolean {
    for (; this.next <= this.last + GAP; this.next += 1) this.known.set(this.addressAt(this.next), this.next);
    const index = this.known.get(address);
    if (index !== undefined) this.last = Math.max(this.last, index);
    return index !== undefined;
  }

  private addressAt(index: number): string {
    const { address } = payments.p2wpkh({ pubkey: this.chain.derive(index).publicKey, network: NETWORK });
    if (address === undefined) throw new Error("the key gave no address");
    return address;
  }
}
