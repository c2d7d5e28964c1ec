import { Readable } from "node:stream";

/** An answer that is too long for memory: it is made while it is sent, no faster than its reader reads it. */
export class StreamedBody {
  constructor(
    readonly contentType: string,
    readonly fileName: string,
    private readonly chunks: AsyncGenerator<string, void, undefined>,
  ) {}

  /**
   * Rejects with an error that occurs before the first chunk, so that it can still be answered with problem
   * details.
   */
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
    await rest.return(); // also if only the first was read
  }
}
