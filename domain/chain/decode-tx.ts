import { Transaction } from "bitcoinjs-lib";

/** Bytes that are no transaction (or block) at all: a defect or an attack of who sent them. */
export class MalformedChainData extends Error {
  override readonly name = "MalformedChainData";
}

export interface TxInput {
  /** 36 bytes as on the wire: the txid in internal byte order, and the index, little-endian. */
  outpoint: Buffer;
  sequence: number;
}

export interface TxOutput {
  vout: number;
  valueSats: bigint;
  scriptPubKey: Buffer;
}

const MONEY_MAX_SATS = 2_100_000_000_000_000n;
/** BIP 125: an input with a lower sequence says that its transaction may be replaced. */
const SEQUENCE_FINAL_MIN = 0xffff_fffe;

/** A transaction, of which only what is asked for is worked out: most of a block's are nobody's. */
export class DecodedTx {
  #txid: string | undefined;
  #inputs: TxInput[] | undefined;
  readonly outputs: readonly TxOutput[];

  constructor(private readonly tx: Transaction) {
    this.outputs = tx.outs.map(({ value, script }, vout) => {
      if (value < 0n || value > MONEY_MAX_SATS) throw new MalformedChainData("output value out of range");
      return { vout, valueSats: value, scriptPubKey: asBuffer(script) };
    });
  }

  get txid(): string {
    return (this.#txid ??= this.tx.getId());
  }

  get inputs(): readonly TxInput[] {
    return (this.#inputs ??= this.tx.ins.map((input) => ({
      outpoint: outpointOf(input.hash, input.index),
      sequence: input.sequence,
    })));
  }

  /** Whether it signals replaceability itself (BIP 125). It may still be replaceable through an unconfirmed parent. */
  get signalsReplaceability(): boolean {
    return this.tx.ins.some(({ sequence }) => sequence < SEQUENCE_FINAL_MIN);
  }

  get coinbase(): boolean {
    return this.tx.isCoinbase();
  }

  /** The transaction with its witnesses, as on the wire. */
  toBytes(): Buffer {
    return asBuffer(this.tx.toBuffer());
  }
}

/**
 * Decodes one raw transaction (BIP 144 or before).
 * @throws MalformedChainData when the bytes are not exactly one transaction.
 */
export function decodeTx(raw: Uint8Array): DecodedTx {
  try {
    const tx = Transaction.fromBuffer(asBuffer(raw));
    if (tx.ins.length === 0 || tx.outs.length === 0) throw new MalformedChainData("no inputs or no outputs");
    return new DecodedTx(tx);
  } catch (error) {
    if (error instanceof MalformedChainData) throw error;
    throw new MalformedChainData("not a transaction", { cause: error });
  }
}

/** The 36 wire bytes of an outpoint, from a txid as people write it. */
export function outpoint(txid: string, vout: number): Buffer {
  return outpointOf(Buffer.from(txid, "hex").reverse(), vout);
}

/** The txid and index of an outpoint's 36 wire bytes. */
export function parseOutpoint(bytes: Buffer): { txid: string; vout: number } {
  return { txid: Buffer.from(bytes.subarray(0, 32)).reverse().toString("hex"), vout: bytes.readUInt32LE(32) };
}

function outpointOf(hash: Uint8Array, index: number): Buffer {
  const bytes = Buffer.allocUnsafe(36);
  bytes.set(hash);
  bytes.writeUInt32LE(index, 32);
  return bytes;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
