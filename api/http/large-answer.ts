import type { Context } from "koa";
import { DomainError } from "../../domain/errors";
import type { Share } from "./request-budget";
import { goneSignal } from "./answer-events";
import type { Serving } from "./serving";

/** Four pages. A reader that has not read these gets no more. */
const UNTAKEN_OF_ONE_BYTES = 8 * 1024 * 1024;

/**
 * The answer of one request that may be large: the memory for making it and for holding it until it is read is limited.
 */
export class LargeAnswer {
  private share: Share | null = null;

  constructor(
    private readonly serving: Pick<Serving, "largeAnswers" | "untaken">,
    private readonly who: string,
    private readonly koa: Pick<Context, "req" | "res">,
  ) {}

  /**
   * Reads when there is a place for it, and keeps the place until the answer is made.
   * @throws DomainError `rate-limited`, `unavailable`.
   */
  async read<T>(work: () => Promise<T>): Promise<T> {
    const { largeAnswers, untaken } = this.serving;
    this.share ??= await largeAnswers.take(this.who, goneSignal(this.koa));
    if (untaken.bytesOf(this.who) <= UNTAKEN_OF_ONE_BYTES) return work();
    throw new DomainError(
      "rate-limited",
      "Too many large responses are waiting to be read. Read those first.",
    );
  }

  /** For a request that found nothing and waits, and after a failed one. */
  letGo(): void {
    this.share?.release();
    this.share = null;
  }

  /** The answer as it is sent. A large one may be cut off before its reader has read it. */
  leaving(text: string): string | Buffer {
    if (this.share === null) return text;
    this.letGo();
    const bytes = Buffer.from(text);
    const { res } = this.koa;
    const untaken = { who: this.who, bytes: bytes.length, cutOff: () => void res.destroy() };
    this.serving.untaken.add(untaken, goneSignal(this.koa));
    return bytes;
  }
}
