import type { LightningPayment } from "../../../scripts/devnet/lightning/lnd-core";

export type { LightningPayment };

/** How to reach an LND by gRPC. */
export interface LightningGrpc {
  /** host:port */
  readonly url: string;
  /** PEM, of the certificate that it shows now. */
  readonly tlsCert: string;
  /** All rights. */
  readonly adminMacaroon: Buffer;
  /** LND's stock invoice.macaroon: invoices, but neither info:read nor offchain:read. */
  readonly invoiceMacaroon: Buffer;
  /** What a store gives of its own node: invoices, info:read and offchain:read. */
  readonly quittanceMacaroon: Buffer;
}

/**
 * A regtest LND that makes invoices, and a customer with a channel to it, the same for the simulated LND and a real
 * one: what the demo and the tests play with.
 */
export interface LightningNode {
  /** Changes when the node restarts with another certificate. */
  readonly grpc: LightningGrpc;
  /** Compressed public key, hex. */
  readonly nodeKey: string;
  /** The customer pays a BOLT11 of the node; `amountMsat` is more or less than it asks for. Rejects when it fails. */
  pay(bolt11: string, options?: { amountMsat?: bigint }): Promise<LightningPayment>;
  /** What the node's active channels can receive, in sats. */
  receivableSats(): Promise<bigint>;
  /** Locks the wallet, as a restart without auto-unlock does. Until `unlock` only the State service answers. */
  lock(): Promise<void>;
  unlock(): Promise<void>;
  /** Stops and starts again, unlocked, on the same address with the same invoices; with another certificate where asked. */
  restart(options?: { newCertificate?: boolean }): Promise<void>;
  stop(): Promise<void>;
}
