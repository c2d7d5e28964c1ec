import { createHash } from "node:crypto";
import { MalformedChainData, WireReader } from "./wire-reader";

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

const MONEY_MAX_SATS = 2_100_000_000_000_000;
/** BIP 125: an input with a lower sequence says that its transaction may be replaced. */
const SEQUENCE_FINAL_MIN = 0xffff_fffe;
const OUTPOINT_BYTES = 36;
const SEQUENCE_BYTES = 4;
const VALUE_BYTES = 8;
const NO_OUTPOINT = Buffer.concat([Buffer.alloc(32), Buffer.alloc(4, 0xff)]);

/** Where it stands in the bytes: a block has thousands, and what nobody asks for is never made. */
class InputView implements TxInput {
  constructor(
    private readonly bytes: Buffer,
    private readonly at: number,
    readonly sequence: number,
  ) {}

  get outpoint(): Buffer {
    return this.bytes.subarray(this.at, this.at + OUTPOINT_BYTES);
  }
}

/** As InputView. */
class OutputView implements TxOutput {
  constructor(
    private readonly bytes: Buffer,
    readonly vout: number,
    private readonly valueAt: number,
    private readonly scriptAt: number,
    private readonly scriptLength: number,
  ) {}

  get valueSats(): bigint {
    return this.bytes.readBigUInt64LE(this.valueAt);
  }

  get scriptPubKey(): Buffer {
    return this.bytes.subarray(this.scriptAt, this.scriptAt + this.scriptLength);
  }
}

/** Where the parts of a transaction stand in the bytes. */
interface TxPlaces {
  begin: number;
  /** Inputs and outputs, without the marker before and the witnesses behind them. */
  inputs: number;
  outputs: number;
  behindOutputs: number;
  end: number;
}

/** Is told where something stands: for who goes through thousands and wants few. */
export type Visit = (bytes: Buffer, at: number, length: number) => void;

/** A transaction as a view of its bytes; what it has in it is made when asked for: most of a block's are nobody's. */
export class DecodedTx {
  #txid: string | undefined;
  #inputs: readonly TxInput[] | undefined;
  #outputs: readonly TxOutput[] | undefined;

  constructor(
    private readonly bytes: Buffer,
    private readonly places: TxPlaces,
  ) {}

  get txid(): string {
    const { begin, inputs, behindOutputs, end } = this.places;
    return (this.#txid ??= idOf(
      this.bytes.subarray(begin, begin + 4),
      this.bytes.subarray(inputs, behindOutputs),
      this.bytes.subarray(end - 4, end),
    ));
  }

  get inputs(): readonly TxInput[] {
    return (this.#inputs ??= readMany(new WireReader(this.bytes, this.places.inputs), readInput));
  }

  get outputs(): readonly TxOutput[] {
    return (this.#outputs ??= readMany(new WireReader(this.bytes, this.places.outputs), readOutput));
  }

  /** Every input's outpoint. */
  eachOutpoint(visit: Visit): void {
    const reader = new WireReader(this.bytes, this.places.inputs);
    for (let left = reader.compactSize(); left > 0; left -= 1)
      visit(this.bytes, skipInput(reader), OUTPOINT_BYTES);
  }

  /** Every output's script. */
  eachScript(visit: Visit): void {
    const reader = new WireReader(this.bytes, this.places.outputs);
    for (let left = reader.compactSize(); left > 0; left -= 1) {
      reader.skip(VALUE_BYTES);
      const length = reader.compactSize();
      visit(this.bytes, reader.skip(length), length);
    }
  }

  /** Whether it signals replaceability itself (BIP 125). It may still be replaceable through an unconfirmed parent. */
  get signalsReplaceability(): boolean {
    return this.inputs.some(({ sequence }) => sequence < SEQUENCE_FINAL_MIN);
  }

  get coinbase(): boolean {
    const { bytes, places } = this;
    const from = places.inputs + 1;
    return bytes[places.inputs] === 1 && NO_OUTPOINT.equals(bytes.subarray(from, from + OUTPOINT_BYTES));
  }

  /** The transaction with its witnesses, as on the wire. */
  toBytes(): Buffer {
    return Buffer.from(this.bytes.subarray(this.places.begin, this.places.end));
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

/** Reads one transaction from where the reader stands. @throws MalformedChainData */
export function readTx(reader: WireReader): DecodedTx {
  const { bytes } = reader;
  const begin = reader.skip(4);
  const segwit = bytes[reader.at] === 0;
  if (segwit && bytes[reader.skip(2) + 1] !== 1) throw new MalformedChainData("no inputs");
  const inputs = reader.at;
  const inputCount = skipMany(reader, skipInput);
  const outputs = reader.at;
  const outputCount = skipMany(reader, skipOutput);
  if (inputCount === 0 || outputCount === 0) throw new MalformedChainData("no inputs or no outputs");
  const behindOutputs = reader.at;
  if (segwit && skipWitnesses(reader, inputCount) === 0) throw new MalformedChainData("no witnesses");
  reader.skip(4);
  return new DecodedTx(bytes, { begin, inputs, outputs, behindOutputs, end: reader.at });
}

function readMany<T>(reader: WireReader, read: (reader: WireReader, at: number) => T): T[] {
  const count = reader.compactSize();
  const all: T[] = [];
  for (let at = 0; at < count; at += 1) all.push(read(reader, at));
  return all;
}

/** Answers how many there are. */
function skipMany(reader: WireReader, skip: (reader: WireReader) => number): number {
  const count = reader.compactSize();
  for (let left = count; left > 0; left -= 1) skip(reader);
  return count;
}

/** Answers where it begins. */
function skipInput(reader: WireReader): number {
  const from = reader.skip(OUTPOINT_BYTES);
  reader.skip(reader.compactSize());
  reader.skip(SEQUENCE_BYTES);
  return from;
}

/** As skipInput. */
function skipOutput(reader: WireReader): number {
  const at = reader.skip(VALUE_BYTES);
  const { bytes } = reader;
  // Without loss below 2^53, which is more than all the money.
  if (bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at) > MONEY_MAX_SATS)
    throw new MalformedChainData("output value out of range");
  reader.skip(reader.compactSize());
  return at;
}

function readInput(reader: WireReader): TxInput {
  const from = skipInput(reader);
  return new InputView(reader.bytes, from, reader.bytes.readUInt32LE(reader.at - SEQUENCE_BYTES));
}

function readOutput(reader: WireReader, vout: number): TxOutput {
  const at = reader.skip(VALUE_BYTES);
  const length = reader.compactSize();
  return new OutputView(reader.bytes, vout, at, reader.skip(length), length);
}

/** Answers how many items they have together. */
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

/** The 36 wire bytes of an outpoint, from a txid as people write it. */
export function outpoint(txid: string, vout: number): Buffer {
  const bytes = Buffer.alloc(OUTPOINT_BYTES);
  Buffer.from(txid, "hex").reverse().copy(bytes);
  bytes.writeUInt32LE(vout, 32);
  return bytes;
}

/** The txid and index of an outpoint's 36 wire bytes. */
export function parseOutpoint(bytes: Buffer): { txid: string; vout: number } {
  return { txid: Buffer.from(bytes.subarray(0, 32)).reverse().toString("hex"), vout: bytes.readUInt32LE(32) };
}
