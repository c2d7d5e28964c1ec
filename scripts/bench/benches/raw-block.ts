import { createHash, randomFillSync } from "node:crypto";

/** A block of real size: each transaction has two inputs and two outputs, witnesses as long as a real wallet's. */

const HEADER_BYTES = 80;
/** Regtest's easiest proof of work. */
const REGTEST_BITS = 0x207fffff;
const SIGNATURE_BYTES = 71;
const PUBLIC_KEY_BYTES = 33;
const SCRIPT_BYTES = 22;
const INPUTS = 2;
const OUTPUTS = 2;

/** An output of a block to a watched script. */
export interface Paid {
  scriptPubKey: Buffer;
  valueSats: bigint;
}

interface RawTx {
  /** With its witnesses, as on the wire. */
  bytes: Buffer;
  /** Internal byte order. */
  id: Buffer;
}

export interface RawBlock {
  /** As people write it. */
  hash: string;
  previousHash: string;
  height: number;
  timeSeconds: number;
  bytes(): Buffer;
  rawTxs(): Buffer[];
}

export interface BlockPlan {
  height: number;
  previousHash: string;
  timeSeconds: number;
  body: readonly RawTx[];
  paid: readonly Paid[];
}

/** New transactions that pay no watched script. */
export function strangersTxs(count: number): RawTx[] {
  return Array.from({ length: count }, () => rawTx([]));
}

/** Each of `paid` in a transaction of its own, in place of the first of the body's. */
export function rawBlock({ height, previousHash, timeSeconds, body, paid }: BlockPlan): RawBlock {
  const payments = paid.map((each) => rawTx([each]));
  const txs = [coinbase(height), ...payments, ...body.slice(payments.length)];
  const header = mineHeader(previousHash, merkleRoot(txs.map(({ id }) => id)), timeSeconds);
  return {
    hash: reversed(doubleHash(header)).toString("hex"),
    previousHash,
    height,
    timeSeconds,
    bytes: () => Buffer.concat([header, compactSize(txs.length), ...txs.map(({ bytes }) => bytes)]),
    rawTxs: () => txs.map(({ bytes }) => bytes),
  };
}

function rawTx(paid: readonly Paid[]): RawTx {
  const inputs = Array.from({ length: INPUTS }, () => {
    const input = randomFillSync(Buffer.alloc(41));
    input.writeUInt32LE(0, 32);
    input[36] = 0;
    input.writeUInt32LE(0xffff_fffd, 37);
    return input;
  });
  const outputs = Array.from({ length: OUTPUTS }, (_, at) => output(paid[at] ?? stranger()));
  const base = Buffer.concat([Buffer.from([INPUTS]), ...inputs, Buffer.from([OUTPUTS]), ...outputs]);
  const witness = randomFillSync(Buffer.alloc(3 + SIGNATURE_BYTES + PUBLIC_KEY_BYTES));
  witness[0] = 2;
  witness[1] = SIGNATURE_BYTES;
  witness[2 + SIGNATURE_BYTES] = PUBLIC_KEY_BYTES;
  return finishTx(base, Buffer.concat(Array.from({ length: INPUTS }, () => witness)));
}

function stranger(): Paid {
  const scriptPubKey = randomFillSync(Buffer.alloc(SCRIPT_BYTES));
  scriptPubKey[0] = 0;
  scriptPubKey[1] = 20;
  return { scriptPubKey, valueSats: 50_000n };
}

function coinbase(height: number): RawTx {
  const text = randomFillSync(Buffer.alloc(12));
  text[0] = 3;
  text.writeUIntLE(height, 1, 3);
  const input = Buffer.concat([
    Buffer.alloc(32),
    Buffer.from("ffffffff", "hex"),
    Buffer.from([text.length]),
    text,
    Buffer.from("ffffffff", "hex"),
  ]);
  const base = Buffer.concat([Buffer.from([1]), input, Buffer.from([1]), output(stranger())]);
  return finishTx(base, Buffer.concat([Buffer.from([1, 32]), Buffer.alloc(32)]));
}

function finishTx(base: Buffer, witnesses: Buffer): RawTx {
  const version = Buffer.from("02000000", "hex");
  const lockTime = Buffer.alloc(4);
  return {
    bytes: Buffer.concat([version, Buffer.from([0, 1]), base, witnesses, lockTime]),
    id: doubleHash(Buffer.concat([version, base, lockTime])),
  };
}

function output({ scriptPubKey, valueSats }: Paid): Buffer {
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(valueSats);
  return Buffer.concat([value, Buffer.from([scriptPubKey.length]), scriptPubKey]);
}

function mineHeader(previousHash: string, merkle: Buffer, timeSeconds: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(0x2000_0000, 0);
  reversed(Buffer.from(previousHash, "hex")).copy(header, 4);
  merkle.copy(header, 36);
  header.writeUInt32LE(timeSeconds, 68);
  header.writeUInt32LE(REGTEST_BITS, 72);
  while ((doubleHash(header)[31] ?? 0) >= 0x80) header.writeUInt32LE(header.readUInt32LE(76) + 1, 76);
  return header;
}

function merkleRoot(ids: readonly Buffer[]): Buffer {
  let level = ids;
  while (level.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const left = level[at] as Buffer;
      above.push(doubleHash(Buffer.concat([left, level[at + 1] ?? left])));
    }
    level = above;
  }
  return level[0] as Buffer;
}

function compactSize(count: number): Buffer {
  if (count < 0xfd) return Buffer.from([count]);
  const bytes = Buffer.from([0xfd, 0, 0]);
  bytes.writeUInt16LE(count, 1);
  return bytes;
}

function doubleHash(bytes: Buffer): Buffer {
  return createHash("sha256").update(createHash("sha256").update(bytes).digest()).digest();
}

function reversed(bytes: Buffer): Buffer {
  return Buffer.from(bytes).reverse();
}
