import { Readable } from "node:stream";

/** An answer that is too long for memory: it is made while it leaves, no faster than its reader takes it. */
export class Streamed {
  constructor(
    readonly contentType: string,
    readonly fileName: string,
    private readonly chunks: AsyncGenerator<string, void, undefined>,
  ) {}

  /** Rejects with what goes wrong before the first chunk is there, so that it can still be answered as a problem. */
  async open(): Promise<Readable> {
    const first = await this.chunks.next();
    return Readable.from(after(first, this.chunks), { objectMode: false });
  }
}

async function* after(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  try {
    if (first.done) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return(); // also when only the first was read
  }
}
