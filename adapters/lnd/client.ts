import type { LightningFacts, LightningPort, NodeInvoice } from "../../commands/ports";

/**
 * By LND's State service, without a macaroon. `locked`: waits for its password, or has no wallet yet; `starting`:
 * accepts no calls yet, or none that need peers and chain.
 */
export type LndState = "locked" | "starting" | "active";

/** For diagnosis: with `invoices:read` and `invoices:write` in `missingRights`. */
export interface LndFacts extends LightningFacts {
  /** Null if the macaroon hides it. */
  version: string | null;
}

/**
 * For the watcher and `doctor`. Rejects with NodeUnavailableError without a usable answer. A lost connection is
 * replaced: the caller only calls again.
 */
export interface LndClient extends LightningPort {
  state(): Promise<LndState>;
  inspect(): Promise<LndFacts>;
  /**
   * Above `settleIndex`, then new ones; with 0 only new ones (LND's rule). Another is read when `onSettled` has
   * resolved: a store's node rests before, unless it was true. Resolves only when aborted.
   */
  subscribeSettled(
    settleIndex: bigint,
    onSettled: (invoice: NodeInvoice) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Streams and calls reject, also those that wait; the next call opens a new connection. */
  reconnect(): void;
  close(): void;
}
