import { Block } from "bitcoinjs-lib";
import { DecodedTx, MalformedChainData } from "./decode-tx";

export interface DecodedBlock {
  /** As people write it. */
  hash: string;
  previousHash: string;
  /** The header's time in seconds since 1970, chosen by the miner (may be two hours ahead). */
  timeSeconds: number;
  txs: readonly DecodedTx[];
}

/**
 * Decodes a raw block, as `getblock` with verbosity 0 gives it. Txids are worked out when asked for.
 * @throws MalformedChainData when the bytes are not exactly one block with transactions.
 */
export function decodeBlock(raw: Uint8Array): DecodedBlock {
  try {
    // A Buffer, so that the library's slices are views and not copies.
    const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
    const block = Block.fromBuffer(bytes);
    const [coinbase] = block.transactions ?? [];
    if (!coinbase?.isCoinbase()) throw new MalformedChainData("a block without a coinbase");
    if (block.byteLength() !== bytes.length) throw new MalformedChainData("bytes after the block");
    return {
      hash: block.getId(),
      previousHash: Buffer.from(bytes.subarray(4, 36)).reverse().toString("hex"),
      timeSeconds: block.timestamp,
      txs: (block.transactions ?? []).map((tx) => new DecodedTx(tx)),
    };
  } catch (error) {
    if (error instanceof MalformedChainData) throw error;
    throw new MalformedChainData("not a block", { cause: error });
  }
}
