/** Bytes that are no transaction (or block) at all: a defect or an attack of who sent them. */
export class MalformedChainData extends Error {
  override readonly name = "MalformedChainData";
}

/** Goes through bytes as bitcoind serializes them, and never past their end. */
export class WireReader {
  constructor(
    readonly bytes: Buffer,
    public at = 0,
  ) {}

  get ended(): boolean {
    return this.at === this.bytes.length;
  }

  /** Answers where they begin. @throws MalformedChainData where there are not so many. */
  skip(length: number): number {
    const from = this.at;
    if (length > this.bytes.length - from) throw new MalformedChainData("truncated");
    this.at = from + length;
    return from;
  }

  /** @throws MalformedChainData for one that is written longer than it need be, as bitcoind refuses it, or out of all range. */
  compactSize(): number {
    const first = this.bytes[this.skip(1)] as number;
    if (first < 0xfd) return first;
    const [width, least] = first === 0xfd ? [2, 0xfd] : [4, 0x1_0000];
    if (first === 0xff) throw new MalformedChainData("a length out of range");
    const value = this.bytes.readUIntLE(this.skip(width), width);
    if (value < least) throw new MalformedChainData("a length that is not written shortest");
    return value;
  }
}
