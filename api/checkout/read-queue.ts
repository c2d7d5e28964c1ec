import { readCheckouts, type CheckoutFacts } from "../../commands/invoices/read-checkout";
import type { CommandContext } from "../../commands/context";
import { inTime } from "../../database/in-time";
import { contextOf } from "../http/for-request";

/** How many invoices are read by the same queries. */
const BATCH = 50;
/** All wait for the previous batch: it must not wait for a connection that died silently. */
const BATCH_DEADLINE_MS = 15_000;

interface PendingRead {
  facts: Promise<CheckoutFacts | null>;
  answer: (facts: CheckoutFacts | null) => void;
  fail: (error: unknown) => void;
}

/**
 * Reads invoices for open pages in batches: requests for the same waiting invoice share its answer, and thousands of
 * requests block neither the database nor this process. Requested invoices come before polled ones.
 */
export class ReadQueue {
  private readonly soon = new Map<string, PendingRead>();
  private readonly later = new Map<string, PendingRead>();
  private reading = false;

  constructor(
    private readonly context: () => CommandContext | null,
    private readonly deadlineMs = BATCH_DEADLINE_MS,
  ) {}

  /** Reads the invoice at some time after the call. Null if there is none. Rejects when the database is away. */
  read(invoiceId: string, when: "soon" | "later"): Promise<CheckoutFacts | null> {
    const waiting = this.soon.get(invoiceId) ?? this.later.get(invoiceId);
    const asked = waiting ?? makeAsked();
    if (when === "soon") this.later.delete(invoiceId);
    if (waiting === undefined || when === "soon") this[when].set(invoiceId, asked);
    void this.readAll();
    return asked.facts;
  }

  private async readAll(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    while (this.soon.size + this.later.size > 0) {
      // Also puts all requests of the same tick into one batch, and starts waiting requests between two of them.
      await new Promise((resolve) => setImmediate(resolve));
      await this.readBatch();
    }
    this.reading = false;
  }

  private async readBatch(): Promise<void> {
    const batch = [...take(this.soon, BATCH)];
    batch.push(...take(this.later, BATCH - batch.length));
    try {
      const ids = batch.map(([invoiceId]) => invoiceId);
      const found = await inTime(readCheckouts(contextOf({ context: this.context }), ids), this.deadlineMs);
      for (const [invoiceId, { answer }] of batch) answer(found.get(invoiceId) ?? null);
    } catch (error) {
      for (const [, { fail }] of batch) fail(error);
    }
  }
}

function makeAsked(): PendingRead {
  let answer!: PendingRead["answer"];
  let fail!: PendingRead["fail"];
  const facts = new Promise<CheckoutFacts | null>((resolve, reject) => {
    answer = resolve;
    fail = reject;
  });
  return { facts, answer, fail };
}

function* take<T>(from: Map<string, T>, most: number): Iterable<[string, T]> {
  for (const entry of from) {
    if (most-- <= 0) return;
    from.delete(entry[0]);
    yield entry;
  }
}
