import { DomainError } from "../../domain/errors";

/** A part of the budget, until it is returned. */
export interface Share {
  /** Harmless to repeat. */
  release(): void;
}

export interface BudgetOptions {
  /** What the limit is about, named in the refusal. */
  of: string;
  total: number;
  /** How many one caller (a store) may have at a time. */
  ofOne: number;
  /** How long a caller waits before it is refused. */
  waitMs: number;
  /** How many requests of one caller may wait. */
  waitingMax: number;
}

interface Waiting {
  who: string;
  begin(): void;
}

/**
 * A concurrency limit for expensive requests of a process. A caller that has used its share waits a little; when
 * everything is used all callers wait, and the one with the least comes first.
 */
export class RequestBudget {
  private spent = 0;
  private readonly spentBy = new Map<string, number>();
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly options: BudgetOptions) {}

  /**
   * @throws DomainError `rate-limited` if the caller itself has used its share, `unavailable` if all together have
   * used everything.
   */
  async take(who: string, gone: AbortSignal): Promise<Share> {
    if (!this.fits(who)) await this.turn(who, gone);
    else this.spend(who, 1);
    return this.shareOf(who);
  }

  private fits(who: string): boolean {
    return this.spent < this.options.total && this.by(who) < this.options.ofOne;
  }

  private by(who: string): number {
    return this.spentBy.get(who) ?? 0;
  }

  private spend(who: string, places: 1 | -1): void {
    this.spent += places;
    const by = this.by(who) + places;
    if (by === 0) this.spentBy.delete(who);
    else this.spentBy.set(who, by);
  }

  /** Ends when the place was taken on behalf of the caller. */
  private async turn(who: string, gone: AbortSignal): Promise<void> {
    const ofWho = [...this.waiting].filter((other) => other.who === who).length;
    if (gone.aborted || ofWho >= this.options.waitingMax) throw this.refusal(who);
    await new Promise<void>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        gone.removeEventListener("abort", leave);
        this.waiting.delete(entry);
      };
      const leave = (): void => {
        end();
        reject(this.refusal(who));
      };
      const entry: Waiting = {
        who,
        begin: () => {
          end();
          this.spend(who, 1);
          resolve();
        },
      };
      const timer = setTimeout(leave, this.options.waitMs);
      gone.addEventListener("abort", leave, { once: true });
      this.waiting.add(entry);
    });
  }

  private refusal(who: string): DomainError {
    const { of, ofOne } = this.options;
    return this.by(who) >= ofOne
      ? new DomainError(
          "rate-limited",
          `Too many ${of} at once. Wait for the requests in progress to finish.`,
        )
      : new DomainError("unavailable", `Too many ${of} in progress. Try again in a moment.`);
  }

  private shareOf(who: string): Share {
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        this.spend(who, -1);
        this.beginNext();
      },
    };
  }

  private beginNext(): void {
    for (;;) {
      const next = [...this.waiting]
        .filter(({ who }) => this.fits(who))
        .reduce<Waiting | null>(
          (least, one) => (least === null || this.by(one.who) < this.by(least.who) ? one : least),
          null,
        );
      if (next === null) return;
      next.begin();
    }
  }
}
