import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Block, Transaction } from "bitcoinjs-lib";

/** What a devnet node keeps between starts: a line of hex for each block, and for each mempool transaction. */
export class Ledger {
  private readonly blocksFile: string;
  private readonly mempoolFile: string;
  private readonly seedFile: string;

  constructor(dir: string) {
    mkdirSync(dir, { recursive: true });
    this.blocksFile = path.join(dir, "blocks.hex");
    this.mempoolFile = path.join(dir, "mempool.hex");
    this.seedFile = path.join(dir, "wallet.json");
  }

  readBlocks(): Block[] {
    return lines(this.blocksFile).map((line) => Block.fromBuffer(Buffer.from(line, "hex")));
  }

  readMempool(): Transaction[] {
    return lines(this.mempoolFile).map((line) => Transaction.fromBuffer(Buffer.from(line, "hex")));
  }

  appendBlock(raw: Buffer): void {
    appendFileSync(this.blocksFile, `${raw.toString("hex")}\n`);
  }

  appendMempool(raw: Buffer): void {
    appendFileSync(this.mempoolFile, `${raw.toString("hex")}\n`);
  }

  rewriteMempool(raws: readonly Buffer[]): void {
    writeFileSync(this.mempoolFile, raws.map((raw) => `${raw.toString("hex")}\n`).join(""));
  }

  /** The customer's seed and how many addresses were given out; made at the first start. */
  readWallet(): { seed: Buffer; addressCount: number } {
    if (!existsSync(this.seedFile)) return { seed: randomBytes(32), addressCount: 1 };
    const { seed, addressCount } = JSON.parse(readFileSync(this.seedFile, "utf8")) as {
      seed: string;
      addressCount: number;
    };
    return { seed: Buffer.from(seed, "hex"), addressCount };
  }

  writeWallet(seed: Buffer, addressCount: number): void {
    // In one step: without its seed nobody could spend the chain's coins.
    writeFileSync(`${this.seedFile}.new`, JSON.stringify({ seed: seed.toString("hex"), addressCount }));
    renameSync(`${this.seedFile}.new`, this.seedFile);
  }
}

function lines(file: string): string[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  const complete = text.slice(0, text.lastIndexOf("\n") + 1);
  // The last line is cut off where the process died while writing it; the next one must not be added to it.
  if (complete !== text) writeFileSync(file, complete);
  return complete.split("\n").filter((line) => line !== "");
}
