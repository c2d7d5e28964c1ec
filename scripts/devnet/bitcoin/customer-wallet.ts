import { payments, script, Transaction } from "bitcoinjs-lib";
import { bip32 } from "../../../domain/wallet/curve";
import { networkParams } from "../../../domain/wallet/network-params";
import { COINBASE_MATURITY, coinKey, coinsOf, type Chain, type Coin } from "./chain";
import type { Mempool } from "./mempool";
import { RPC, RpcError } from "./rpc-error";

const NETWORK = networkParams("regtest");
const REPLACEABLE = 0xfffffffd;
const FINAL = 0xfffffffe;
const DUST_SATS = 294n;
/** What the customer pays, in sats per vbyte. */
export const FEE_RATE = 5;

export interface ScriptOutput {
  scriptPubKey: Uint8Array;
  valueSats: bigint;
}

export interface Funding {
  outputs: readonly ScriptOutput[];
  feeRate: number;
  replaceable: boolean;
  /** Default 2. */
  version?: number;
  /** Coins that must be spent, for a replacement. */
  mustSpend?: readonly Coin[];
  /** Fee that must be reached whatever the rate gives. */
  feeAtLeastSats?: bigint;
}

/** The customer's coins and keys (native segwit, BIP 84 below a seed). */
export class CustomerWallet {
  private readonly account;
  private readonly indexes = new Map<string, number>();
  private readonly ownScript: Buffer;

  constructor(
    seed: Buffer,
    private readonly chain: Chain,
    private readonly mempool: Mempool,
  ) {
    this.account = bip32.fromSeed(seed, NETWORK).derivePath("m/84'/1'/0'");
    this.ownScript = this.newAddress().scriptPubKey;
  }

  get addressCount(): number {
    return this.indexes.size;
  }

  /** Where mining rewards and change go. */
  get rewardScript(): Buffer {
    return this.ownScript;
  }

  newAddress(): { address: string; scriptPubKey: Buffer } {
    const index = this.indexes.size;
    const { address, output } = payments.p2wpkh({ pubkey: this.keyAt(index).publicKey, network: NETWORK });
    if (address === undefined || output === undefined) throw new Error("the key gave no address");
    const scriptPubKey = Buffer.from(output);
    this.indexes.set(scriptPubKey.toString("hex"), index);
    return { address, scriptPubKey };
  }

  isOwn(scriptPubKey: Uint8Array): boolean {
    return this.indexes.has(Buffer.from(scriptPubKey).toString("hex"));
  }

  /** What can be spent now: confirmed first, then own change. */
  spendable(): Coin[] {
    const next = this.chain.tip.height + 1;
    const confirmed = [...this.chain.coins.values()].filter(
      (coin) => !coin.coinbase || next - (coin.height ?? next) >= COINBASE_MATURITY,
    );
    const change = [...this.mempool.entries.values()]
      .filter((entry) => entry.spends.every((key) => this.isOwnSpend(key)))
      .flatMap((entry) => coinsOf(entry.tx, entry.txid, null));
    return [...confirmed, ...change].filter(
      (coin) =>
        this.isOwn(coin.scriptPubKey) && this.mempool.spenderOf(coinKey(coin.txid, coin.vout)) === undefined,
    );
  }

  balanceSats(): bigint {
    return this.spendable().reduce((sum, coin) => sum + coin.valueSats, 0n);
  }

  /** A signed transaction that pays the outputs, with change back to the customer. */
  fund(funding: Funding): Transaction {
    const must = funding.mustSpend ?? [];
    const chosen = [...must];
    const taken = new Set(chosen.map((coin) => coinKey(coin.txid, coin.vout)));
    const others = this.spendable().filter((coin) => !taken.has(coinKey(coin.txid, coin.vout)));
    const wantedSats = funding.outputs.reduce((sum, { valueSats }) => sum + valueSats, 0n);
    for (;;) {
      const inSats = chosen.reduce((sum, { valueSats }) => sum + valueSats, 0n);
      const rateFee = BigInt(Math.ceil(vsizeOf(chosen.length, funding.outputs) * funding.feeRate));
      const least = funding.feeAtLeastSats ?? 0n;
      const feeSats = rateFee > least ? rateFee : least;
      const changeSats = inSats - wantedSats - feeSats;
      if (chosen.length > 0 && changeSats >= 0n) return this.build(chosen, funding, changeSats);
      const coin = others.shift();
      if (coin === undefined) throw new RpcError(RPC.insufficientFunds, "Insufficient funds");
      chosen.push(coin);
    }
  }

  private build(coins: readonly Coin[], funding: Funding, changeSats: bigint): Transaction {
    const tx = new Transaction();
    tx.version = funding.version ?? 2;
    for (const { txid, vout } of coins) {
      tx.addInput(Buffer.from(txid, "hex").reverse(), vout, funding.replaceable ? REPLACEABLE : FINAL);
    }
    for (const { scriptPubKey, valueSats } of funding.outputs) tx.addOutput(scriptPubKey, valueSats);
    if (changeSats >= DUST_SATS) tx.addOutput(this.ownScript, changeSats);
    coins.forEach((coin, i) => this.sign(tx, i, coin));
    return tx;
  }

  private sign(tx: Transaction, input: number, coin: Coin): void {
    const index = this.indexes.get(coin.scriptPubKey.toString("hex"));
    if (index === undefined) throw new RpcError(RPC.misc, "an input is not the customer's");
    const key = this.keyAt(index);
    const scriptCode = payments.p2pkh({ pubkey: key.publicKey, network: NETWORK }).output;
    if (scriptCode === undefined) throw new Error("the key gave no script");
    const hash = tx.hashForWitnessV0(input, scriptCode, coin.valueSats, Transaction.SIGHASH_ALL);
    const signature = script.signature.encode(key.sign(hash), Transaction.SIGHASH_ALL);
    tx.setWitness(input, [signature, key.publicKey]);
  }

  private keyAt(index: number) {
    return this.account.derive(0).derive(index);
  }

  private isOwnSpend(key: string): boolean {
    const coin = this.mempool.coin(key);
    return coin !== undefined && this.isOwn(coin.scriptPubKey);
  }
}

/** Upper bound in vbytes of a transaction with native segwit inputs and a change output. */
function vsizeOf(inputs: number, outputs: readonly ScriptOutput[]): number {
  return 12 + inputs * 69 + 31 + outputs.reduce((sum, { scriptPubKey }) => sum + 9 + scriptPubKey.length, 0);
}
