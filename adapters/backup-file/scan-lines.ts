import type { Hash } from "node:crypto";
import { BackupFileError, END_OF_ROWS } from "./format";

const END = Buffer.from(END_OF_ROWS);
const END_BEHIND_ROW = Buffer.from(`\n${END_OF_ROWS}`);
/** A header lists every wallet. */
const LINE_MAX_BYTES = 64 * 1024 * 1024;

/** Takes a text apart as it comes: single lines, and tables' rows in pieces of any size. */
export class LineScanner {
  #buffer: Buffer = Buffer.alloc(0);
  readonly #chunks: AsyncIterator<Buffer>;

  /** What is taken is added to the hash. */
  constructor(
    chunks: AsyncIterable<Buffer>,
    private readonly hash: Hash,
  ) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next line, without its end. Of one that must not be hashed, `hashed` is false. @throws BackupFileError */
  async line(isHashed: (text: string) => boolean): Promise<string> {
    const begun: Buffer[] = [];
    let begunBytes = 0;
    while (!this.#buffer.includes("\n")) {
      begun.push(this.#buffer);
      begunBytes += this.#buffer.length;
      if (begunBytes > LINE_MAX_BYTES) throw new BackupFileError("This is not a backup of Quittance.");
      this.#buffer = await this.#next();
    }
    this.#buffer = Buffer.concat([...begun, this.#buffer]);
    const end = this.#buffer.indexOf("\n", begunBytes);
    const text = this.#buffer.toString("utf8", 0, end);
    if (isHashed(text)) this.#take(end + 1);
    else this.#buffer = this.#buffer.subarray(end + 1);
    return text;
  }

  /** The rows up to the line that ends them, which is taken as well. @throws BackupFileError */
  async *rows(): AsyncGenerator<Buffer> {
    while (this.#buffer.length < END.length) await this.#more();
    if (this.#buffer.subarray(0, END.length).equals(END)) return void this.#take(END.length);
    for (;;) {
      const end = this.#buffer.indexOf(END_BEHIND_ROW);
      if (end >= 0) {
        yield this.#take(end + 1);
        this.#take(END.length);
        return;
      }
      // The end may be split between two chunks.
      const whole = this.#buffer.length - END_BEHIND_ROW.length;
      if (whole > 0) yield this.#take(whole);
      await this.#more();
    }
  }

  /** Whether nothing is left. */
  async isAtEnd(): Promise<boolean> {
    return this.#buffer.length === 0 && (await this.#chunks.next()).done === true;
  }

  #take(length: number): Buffer {
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    this.hash.update(taken);
    return taken;
  }

  async #more(): Promise<void> {
    this.#buffer = Buffer.concat([this.#buffer, await this.#next()]);
  }

  async #next(): Promise<Buffer> {
    const next = await this.#chunks.next();
    if (next.done === true) throw new BackupFileError("The backup is truncated: its end is missing.");
    return next.value;
  }
}
