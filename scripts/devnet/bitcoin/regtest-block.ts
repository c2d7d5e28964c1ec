import { randomBytes } from "node:crypto";
import { Block, Transaction, script } from "bitcoinjs-lib";

/** Regtest's easiest proof of work: every second hash will do. */
const REGTEST_BITS = 0x207fffff;
const HALVING_INTERVAL_BLOCKS = 150;
const WITNESS_COMMITMENT_HEAD = Buffer.from("6a24aa21a9ed", "hex");
const WITNESS_RESERVED = Buffer.alloc(32);

/** Bitcoin's own first transaction, which regtest's first block shares. */
const GENESIS_COINBASE =
  "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000";

export function genesisBlock(): Block {
  const block = new Block();
  block.prevHash = Buffer.alloc(32);
  block.timestamp = 1_296_688_602;
  block.bits = REGTEST_BITS;
  block.nonce = 2;
  block.transactions = [Transaction.fromHex(GENESIS_COINBASE)];
  block.merkleRoot = Block.calculateMerkleRoot(block.transactions);
  return block;
}

export interface BlockTemplate {
  previousHash: Uint8Array;
  height: number;
  timeSeconds: number;
  payTo: Uint8Array;
  feesSats: bigint;
  txs: readonly Transaction[];
}

/** Mines a valid block: BIP 34 height, witness commitment (BIP 141), merkle root and proof of work. */
export function mineBlock(template: BlockTemplate): Block {
  const block = new Block();
  block.version = 0x20000000;
  block.prevHash = template.previousHash;
  block.timestamp = template.timeSeconds;
  block.bits = REGTEST_BITS;
  const coinbase = coinbaseOf(template);
  block.transactions = [coinbase, ...template.txs];
  commitWitnesses(coinbase, block);
  block.merkleRoot = Block.calculateMerkleRoot(block.transactions);
  while (!block.checkProofOfWork()) block.nonce++;
  return block;
}

/** The subsidy in sats at a height. */
function subsidySats(height: number): bigint {
  return 5_000_000_000n >> BigInt(Math.min(63, Math.floor(height / HALVING_INTERVAL_BLOCKS)));
}

function coinbaseOf({ height, payTo, feesSats }: BlockTemplate): Transaction {
  const coinbase = new Transaction();
  coinbase.version = 2;
  // BIP 34's height, which the compiler makes one opcode up to 16, as the rule wants it. Random bytes, so that two
  // blocks at one height are never the same.
  const text = script.compile([script.number.encode(height), randomBytes(8)]);
  coinbase.addInput(Buffer.alloc(32), 0xffffffff, 0xffffffff, text);
  coinbase.addOutput(payTo, subsidySats(height) + feesSats);
  return coinbase;
}

/** The commitment counts the coinbase's own hash as zero, so it does not depend on itself. */
function commitWitnesses(coinbase: Transaction, block: Block): void {
  coinbase.setWitness(0, [WITNESS_RESERVED]);
  block.witnessCommit = Block.calculateMerkleRoot(block.transactions ?? [], true);
  coinbase.addOutput(Buffer.concat([WITNESS_COMMITMENT_HEAD, block.witnessCommit]), 0n);
}
