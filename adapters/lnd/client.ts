import type { LightningInfo, LightningPort, NodeInvoice } from "../../commands/ports";

/**
 * What LND's State service says, without a macaroon. `locked`: its wallet waits for its password (or is not made yet).
 * `starting`: unlocked, but it takes no calls yet, or none that need its peers and its chain.
 */
export type LndState = "locked" | "starting" | "active";

/** For diagnosis: `missingRights` has `invoices:read` and `invoices:write` too. */
export interface LndFacts extends LightningInfo {
  /** Null where the macaroon does not show it. */
  version: string | null;
}

/**
 * The port to LND, and what its watcher and `doctor` need beyond it. Every promise rejects with NodeUnavailableError
 * (domain/errors) when LND gives no usable answer. A connection that is lost or half open is replaced automatically:
 * the caller only calls again.
 */
export interface LndClient extends LightningPort {
  state(): Promise<LndState>;
  inspect(): Promise<LndFacts>;
  /** A cheap call with a macaroon and a deadline: resolves when LND takes calls, be the macaroon ever so small. */
  watchdog(): Promise<void>;
  /**
   * Settled invoices with a settle index above the given one, then those that settle from now on; with 0 only the
   * latter (LND's rule). One at a time: the next is asked for when `onSettled` has resolved. Resolves only when the
   * signal is aborted; rejects when the stream ends or with what `onSettled` rejected with.
   */
  subscribeSettled(
    settleIndex: bigint,
    onSettled: (invoice: NodeInvoice) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Gives up the connection with its streams, which reject; the next call makes a new one. */
  reconnect(): void;
  /** Ends everything. Nothing may be asked after it. */
  close(): void;
}
