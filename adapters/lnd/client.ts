import type { LightningInfo, LightningPort, NodeInvoice } from "../../commands/ports";

/**
 * The state reported by LND's State service, which needs no macaroon. `locked`: its wallet waits for its password
 * (or does not exist yet). `starting`: unlocked, but it accepts no calls yet, or none that need its peers and its
 * chain.
 */
export type LndState = "locked" | "starting" | "active";

/** For diagnosis: here `missingRights` includes `invoices:read` and `invoices:write`. */
export interface LndFacts extends LightningInfo {
  /** Null if the macaroon does not allow reading it. */
  version: string | null;
}

/**
 * The port to LND, with the additional needs of its watcher and `doctor`. Every promise rejects with
 * NodeUnavailableError (domain/errors) when LND gives no usable answer. A lost or half open connection is replaced
 * automatically: the caller only calls again.
 */
export interface LndClient extends LightningPort {
  state(): Promise<LndState>;
  inspect(): Promise<LndFacts>;
  /** A cheap call with a macaroon and a deadline: resolves when LND accepts calls, whatever rights the macaroon has. */
  watchdog(): Promise<void>;
  /**
   * Settled invoices with a settle index above the given one, then those that settle from now on; with 0 only the
   * latter (LND's rule). One at a time: the next is read when `onSettled` has resolved. Resolves only when the
   * signal is aborted; rejects when the stream ends, or with the error of `onSettled`.
   */
  subscribeSettled(
    settleIndex: bigint,
    onSettled: (invoice: NodeInvoice) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Drops the connection with its streams, which reject; the next call opens a new one. */
  reconnect(): void;
  /** Ends everything. Nothing may be called after it. */
  close(): void;
}
