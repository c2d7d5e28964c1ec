import { createHash } from "node:crypto";

/** Bytes that are no transaction (or block): a defect or an attack of the sender. */
export class MalformedChainData extends Error {
  override readonly name = "MalformedChainData";
}

/** Reads bytes as bitcoind serializes them, and never past their end. */
export class WireReader {
  constructor(
    private readonly bytes: Buffer,
    public at = 0,
  ) {}

  get ended(): boolean {
    return this.at === this.bytes.length;
  }

  /** Returns where they begin. @throws MalformedChainData when there are fewer. */
  skip(length: number): number {
    const from = this.at;
    if (length > this.bytes.length - from) throw new MalformedChainData("truncated");
    this.at = from + length;
    return from;
  }

  /** A view, not a copy. @throws MalformedChainData */
  take(length: number): Buffer {
    return this.since(this.skip(length));
  }

  /** A view of the bytes read from there on. */
  since(from: number): Buffer {
    return this.bytes.subarray(from, this.at);
  }

  /** Whether the next byte is this one, without reading it. */
  startsWith(byte: number): boolean {
    return this.bytes[this.at] === byte;
  }

  /** Little-endian, of at most 6 bytes. @throws MalformedChainData */
  uint(width: number): number {
    return this.bytes.readUIntLE(this.skip(width), width);
  }

  /** @throws MalformedChainData */
  uint64(): bigint {
    return this.bytes.readBigUInt64LE(this.skip(8));
  }

  /**
   * @throws MalformedChainData for an encoding that is longer than necessary, as bitcoind refuses it, or a number
   * that is out of range.
   */
  compactSize(): number {
    const first = this.uint(1);
    if (first < 0xfd) return first;
    if (first === 0xff) throw new MalformedChainData("a length out of range");
    const value = this.uint(first === 0xfd ? 2 : 4);
    if (value < (first === 0xfd ? 0xfd : 0x1_0000))
      throw new MalformedChainData("a length that is not in its shortest form");
    return value;
  }

  /** Reads a length and this many items. @throws MalformedChainData */
  list<T>(read: (index: number) => T): T[] {
    const count = this.compactSize();
    const all: T[] = [];
    for (let index = 0; index < count; index += 1) all.push(read(index));
    return all;
  }
}

export interface TxInput {
  /** 36 bytes as on the wire: the txid in internal byte order, and the index, little-endian. */
  readonly outpoint: Buffer;
  readonly sequence: number;
}

export interface TxOutput {
  readonly vout: number;
  readonly valueSats: bigint;
  readonly scriptPubKey: Buffer;
}

const MONEY_MAX_SATS = 2_100_000_000_000_000n;
/** BIP 125: an input with a lower sequence signals that its transaction may be replaced. */
const SEQUENCE_FINAL_MIN = 0xffff_fffe;
/** BIP 431: a transaction of this version may always be replaced. */
const TRUC_VERSION = 3;
/** BIP 144: marker 0 (a number of inputs that cannot be) and flag 1. */
const SEGWIT_MARKER = 0x0100;
const OUTPOINT_BYTES = 36;
const LOCK_TIME_BYTES = 4;
const NO_OUTPOINT = Buffer.concat([Buffer.alloc(32), Buffer.alloc(4, 0xff)]);

/** Read once, with the offsets of its parts. */
interface TxFacts {
  coinbase: boolean;
  signalsReplaceability: boolean;
  /** After the marker of BIP 144, if there is one. */
  inputsAt: number;
  outputsAt: number;
  /** The offset of the witnesses, or of the lock time. */
  restAt: number;
}

/**
 * A transaction that has been read once. Few of a block's thousands concern us, so it keeps its bytes and not their
 * decoded content.
 */
export class DecodedTx {
  readonly coinbase: boolean;
  /** Whether it signals replaceability itself (BIP 125, BIP 431). It may still be replaceable through an unconfirmed parent. */
  readonly signalsReplaceability: boolean;
  #txid: string | undefined;

  constructor(
    /** Includes its witnesses, as on the wire. A view of what it was read from. */
    readonly bytes: Buffer,
    private readonly facts: TxFacts,
  ) {
    this.coinbase = facts.coinbase;
    this.signalsReplaceability = facts.signalsReplaceability;
  }

  get txid(): string {
    const { inputsAt, restAt } = this.facts;
    const { bytes } = this;
    return (this.#txid ??= idOf(
      bytes.subarray(0, 4),
      bytes.subarray(inputsAt, restAt),
      bytes.subarray(-LOCK_TIME_BYTES),
    ));
  }

  /** Decoded at each access, so access it once. */
  get inputs(): TxInput[] {
    return readInputs(new WireReader(this.bytes, this.facts.inputsAt));
  }

  /** Decoded at each access, like the inputs. */
  get outputs(): TxOutput[] {
    return readOutputs(new WireReader(this.bytes, this.facts.outputsAt));
  }
}

/**
 * Decodes one raw transaction (BIP 144 or before).
 * @throws MalformedChainData when the bytes are not exactly one transaction.
 */
export function decodeTx(raw: Uint8Array): DecodedTx {
  const reader = new WireReader(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  const tx = readTx(reader);
  if (!reader.ended) throw new MalformedChainData("bytes after the transaction");
  return tx;
}

/** Reads one transaction from the reader's position. @throws MalformedChainData */
export function readTx(reader: WireReader): DecodedTx {
  const begin = reader.at;
  const version = reader.uint(4);
  const segwit = reader.startsWith(0);
  if (segwit && reader.uint(2) !== SEGWIT_MARKER) throw new MalformedChainData("no inputs");
  const inputsAt = reader.at - begin;
  const inputs = readInputs(reader);
  const outputsAt = reader.at - begin;
  const outputs = readOutputs(reader);
  if (inputs.length === 0 || outputs.length === 0) throw new MalformedChainData("no inputs or no outputs");
  const restAt = reader.at - begin;
  if (segwit && skipWitnesses(reader, inputs.length) === 0) throw new MalformedChainData("no witnesses");
  reader.skip(LOCK_TIME_BYTES);
  const coinbase = inputs.length === 1 && NO_OUTPOINT.equals((inputs[0] as TxInput).outpoint);
  const signalsReplaceability =
    version === TRUC_VERSION || inputs.some(({ sequence }) => sequence < SEQUENCE_FINAL_MIN);
  const facts = { coinbase, signalsReplaceability, inputsAt, outputsAt, restAt };
  return new DecodedTx(reader.since(begin), facts);
}

function readInputs(reader: WireReader): TxInput[] {
  return reader.list(() => readInput(reader));
}

function readOutputs(reader: WireReader): TxOutput[] {
  return reader.list((vout) => readOutput(reader, vout));
}

function readInput(reader: WireReader): TxInput {
  const outpoint = reader.take(OUTPOINT_BYTES);
  reader.skip(reader.compactSize());
  return { outpoint, sequence: reader.uint(4) };
}

function readOutput(reader: WireReader, vout: number): TxOutput {
  const valueSats = reader.uint64();
  if (valueSats > MONEY_MAX_SATS) throw new MalformedChainData("output value out of range");
  return { vout, valueSats, scriptPubKey: reader.take(reader.compactSize()) };
}

/** Returns how many items they have in total. */
function skipWitnesses(reader: WireReader, inputs: number): number {
  let items = 0;
  for (let input = 0; input < inputs; input += 1) {
    const count = reader.compactSize();
    for (let item = 0; item < count; item += 1) reader.skip(reader.compactSize());
    items += count;
  }
  return items;
}

/** SHA-256 twice, and reversed, as people write transactions' and blocks' ids. */
export function idOf(...parts: readonly Buffer[]): string {
  const once = createHash("sha256");
  for (const part of parts) once.update(part);
  return createHash("sha256").update(once.digest()).digest().reverse().toString("hex");
}

/** The txid and index of an outpoint's 36 wire bytes. */
export function parseOutpoint(bytes: Buffer): { txid: string; vout: number } {
  return { txid: Buffer.from(bytes.subarray(0, 32)).reverse().toString("hex"), vout: bytes.readUInt32LE(32) };
}
