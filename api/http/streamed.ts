import { Readable } from "node:stream";

/** Too long for memory: made while it is sent, no faster than it is read. */
export class StreamedBody {
  constructor(
    readonly contentType: string,
    readonly fileName: string,
    private readonly chunks: AsyncGenerator<string, void, undefined>,
  ) {}

  /** Rejects with an error before the first chunk, so that problem details can still be sent. */
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
