import { groupBy } from "../../domain/group-by";
import { whenGone } from "./when-gone";

/** An answer that its reader has not read. */
interface Untaken {
  who: string;
  bytes: number;
  cutOff(): void;
}

/**
 * The large answers in memory that their readers have not read. When they are too many, the reader with the most
 * loses the oldest: readers that read nothing cost only each other.
 */
export class UntakenAnswers {
  private readonly all = new Set<Untaken>();

  constructor(private readonly bytesMax: number) {}

  /** Counts an answer until it has been read. */
  add(answer: Untaken, gone: AbortSignal): void {
    this.all.add(answer);
    whenGone(gone, () => this.all.delete(answer));
    while (sizeOf(this.all) > this.bytesMax) this.cutOffOne();
  }

  bytesOf(who: string): number {
    return sizeOf([...this.all].filter((answer) => answer.who === who));
  }

  private cutOffOne(): void {
    const byCaller = [...groupBy(this.all, ({ who }) => who).values()];
    const most = byCaller.reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a));
    const [oldest] = most;
    if (oldest === undefined) return;
    this.all.delete(oldest);
    oldest.cutOff();
  }
}

function sizeOf(answers: Iterable<Untaken>): number {
  let bytes = 0;
  for (const answer of answers) bytes += answer.bytes;
  return bytes;
}
