import { type DecodedTx, idOf, readTx } from "./decode-tx";
import { scriptsToLookUp } from "./match-outputs";
import type { PackedKeys } from "./packed-keys";
import { MalformedChainData, WireReader } from "./wire-reader";

export interface DecodedBlock {
  /** As people write it. */
  hash: string;
  previousHash: string;
  /** The header's time in seconds since 1970, chosen by the miner (may be two hours ahead). */
  timeSeconds: number;
  txs: readonly DecodedTx[];
  /** What they pay, to be looked up: made out beforehand, as a block comes while the database is busy with the last. */
  scripts: readonly PackedKeys[];
}

const HEADER_BYTES = 80;

/**
 * Decodes a raw block, as `getblock` with verbosity 0 gives it. Nothing of it is copied.
 * @throws MalformedChainData when the bytes are not exactly one block with transactions.
 */
export function decodeBlock(raw: Uint8Array): DecodedBlock {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const reader = new WireReader(bytes);
  reader.skip(HEADER_BYTES);
  const count = reader.compactSize();
  const txs: DecodedTx[] = [];
  for (let at = 0; at < count; at += 1) txs.push(readTx(reader));
  if (!reader.ended) throw new MalformedChainData("bytes after the block");
  if (!txs[0]?.coinbase) throw new MalformedChainData("a block without a coinbase");
  return {
    hash: idOf(bytes.subarray(0, HEADER_BYTES)),
    previousHash: Buffer.from(bytes.subarray(4, 36)).reverse().toString("hex"),
    timeSeconds: bytes.readUInt32LE(68),
    txs,
    scripts: scriptsToLookUp(txs),
  };
}
