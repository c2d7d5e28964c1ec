import type { Log } from "../../commands/ports";
import { RequestBudget } from "./request-budget";
import type { AppDependencies } from "../app-dependencies";
import { makeFeedWatch, type FeedWatch } from "../events/feed-watch";
import { UntakenAnswers } from "./untaken-answers";

/** In addition to four that are being made, of some 16 MiB each: a page of 2 MiB as rows, as text and as bytes. */
const UNTAKEN_MAX_BYTES = 16 * 1024 * 1024;

/** What the routes of one process share. */
export interface Serving {
  log: Log;
  limits: AppDependencies["limits"];
  feed: FeedWatch;
  /** Large answers that are being made. */
  largeAnswers: RequestBudget;
  /** Those that their readers have not read yet. */
  untaken: UntakenAnswers;
  /** Requests with large bodies that are being read and parsed. */
  largeBodies: RequestBudget;
  /** Files that are being read. */
  exports: RequestBudget;
  /** Requests that change very many rows, chunk by chunk, or that compute for long. */
  bulkChanges: RequestBudget;
}

export function makeServing(parts: AppDependencies): Serving {
  return {
    log: parts.log,
    limits: parts.limits,
    feed: makeFeedWatch(parts),
    largeAnswers: new RequestBudget({
      of: "large responses",
      total: 4,
      ofOne: 1,
      waitMs: 5_000,
      waitingMax: 100,
    }),
    untaken: new UntakenAnswers(UNTAKEN_MAX_BYTES),
    largeBodies: new RequestBudget({
      of: "large bodies",
      total: 32,
      ofOne: 2,
      waitMs: 5_000,
      waitingMax: 200,
    }),
    bulkChanges: new RequestBudget({
      of: "bulk requests",
      total: Infinity,
      ofOne: 1,
      waitMs: 0,
      waitingMax: 0,
    }),
    exports: new RequestBudget({ of: "exports", total: 8, ofOne: 2, waitMs: 1_000, waitingMax: 10 }),
  };
}
