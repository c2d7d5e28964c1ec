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
