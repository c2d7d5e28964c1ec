import { type DecodedTx, idOf, readTx, MalformedChainData, WireReader } from "./decode-tx";

export interface DecodedBlock {
  /** In the usual notation, reversed. */
  hash: string;
  previousHash: string;
  /** The header's time in seconds since 1970, chosen by the miner (may be two hours ahead). */
  timeSeconds: number;
  txs: readonly DecodedTx[];
}

const HEADER_BYTES = 80;

/**
 * Decodes a raw block, as `getblock` with verbosity 0 gives it. Without copying.
 * @throws MalformedChainData when the bytes are not exactly one block with transactions.
 */
export function decodeBlock(raw: Uint8Array): DecodedBlock {
  const reader = new WireReader(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  const header = reader.take(HEADER_BYTES);
  const txs = reader.list(() => readTx(reader));
  if (!reader.ended) throw new MalformedChainData("bytes after the block");
  if (!txs[0]?.coinbase) throw new MalformedChainData("a block without a coinbase");
  return {
    hash: idOf(header),
    previousHash: Buffer.from(header.subarray(4, 36)).reverse().toString("hex"),
    timeSeconds: header.readUInt32LE(68),
    txs,
  };
}
