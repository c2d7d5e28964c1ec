import type { PasskeyResponse } from "../domain/account/passkey";
import type { PasswordJudge } from "../domain/account/password";
import type { NodeRefusal } from "../domain/chain/node-refusal";
import type { Peer } from "../domain/chain/peer-echo";
import type { AlertChannelName } from "../entities/alert";

/** What commands need from the outside world. Adapters implement these; nothing here names a package. */

/** What a Bitcoin node reports about itself. */
export interface NodeInfo {
  /** bitcoind's own name of the network: main, testnet4, signet, regtest. */
  chain: string;
  blocks: number;
  headers: number;
  bestBlockHash: string;
  initialBlockDownload: boolean;
  /** The lowest height whose block is still stored; 0 if nothing was pruned. */
  pruneHeight: number;
  /** Unix seconds, of the best block. */
  tipTimeSeconds: number;
}

/** A node's connection to the network. */
export interface NodeConnectivity {
  uptimeSeconds: number;
  /** False for a node with `blocksonly`. */
  relaysTransactions: boolean;
  peers: readonly Peer[];
}

export interface BlockHeader {
  hash: string;
  height: number;
  previousHash: string | null;
  /** Unix seconds, as in the block. */
  timeSeconds: number;
  inActiveChain: boolean;
}

export interface MempoolEntry {
  /** Unix seconds at which the node accepted it. */
  timeSeconds: number;
  hasUnconfirmedParents: boolean;
}

/** `accepted`: in its mempool, also if it was there before; `in-chain`: in a block. */
export type BroadcastAnswer = { outcome: "accepted" | "in-chain" } | ({ outcome: "refused" } & NodeRefusal);

/**
 * A Bitcoin node's RPC. Every method rejects with NodeUnavailableError (domain/errors) when the node gives no
 * usable answer.
 */
export interface ChainPort {
  info(): Promise<NodeInfo>;
  connectivity(): Promise<NodeConnectivity>;
  /** Sends a ping to every peer, soon. */
  pingPeers(): Promise<void>;
  uptimeSeconds(): Promise<number>;
  mempoolLoaded(): Promise<boolean>;
  /** Null above the tip. */
  blockHash(height: number): Promise<string | null>;
  /** Null for a hash that the node does not know. */
  blockHeader(hash: string): Promise<BlockHeader | null>;
  /** Serialised block; null when the node does not have it (pruned or unknown). */
  rawBlock(hash: string): Promise<Buffer | null>;
  mempoolTxids(): Promise<string[]>;
  /** Null if it is not in the mempool. */
  mempoolEntry(txid: string): Promise<MempoolEntry | null>;
  /** Unconfirmed ancestors' txids; null when the transaction is not in the mempool. */
  mempoolAncestors(txid: string): Promise<string[] | null>;
  /** The raw transactions of those that are in the mempool now, by txid. */
  mempoolTransactions(txids: readonly string[]): Promise<Map<string, Buffer>>;
  /** Mempool transactions that spend the outpoints (36 wire bytes, as hex `txid:vout`), by that key. */
  mempoolSpenders(outpoints: readonly { txid: string; vout: number }[]): Promise<Map<string, string>>;
  broadcast(rawTx: Buffer): Promise<BroadcastAnswer>;
}

/** What an LND reports about itself. */
export interface LightningInfo {
  /** Compressed public key, hex; null if the macaroon does not allow reading it. */
  nodeKey: string | null;
  /** mainnet, testnet4, signet, regtest; null if the macaroon does not allow reading it. */
  network: string | null;
  /** Null if the macaroon does not allow reading it. */
  synchronized: boolean | null;
  /** Rights that the macaroon lacks, by LND's names (`info:read`, `offchain:read`). */
  missingRights: readonly string[];
}

/** The fields of a new BOLT11. */
export interface Bolt11Request {
  /**
   * 32 bytes, ours: its SHA-256 is the payment hash, which is committed before the request, so that a repeated
   * request finds the same invoice.
   */
  preimage: Buffer;
  /** Above 0. */
  amountSats: bigint;
  /** BOLT 11 `d`, or the hash of it (`h`) if the text is too long: LND accepts 639 bytes. */
  description: string;
  expiresInSeconds: number;
  /** Hints to private channels, for a node without public ones. */
  privateRouteHints: boolean;
}

/** An invoice as the node reports it. An ACCEPTED one holds HTLCs that are not settled: it does not count as paid. */
export interface NodeInvoice {
  /** Hex, as all hashes and preimages here. */
  paymentHash: string;
  state: "open" | "accepted" | "settled" | "canceled";
  bolt11: string;
  /** What arrived (`amt_paid_msat`); 0 before it is settled. */
  amountPaidMsat: bigint;
  settledAt: Date | null;
  /** 0 before it is settled. Grows by one with each settled invoice of the node. */
  settleIndex: bigint;
  preimage: string | null;
}

/**
 * The gRPC of a Lightning node (LND). Each call has a deadline of some seconds. Every method rejects with
 * NodeUnavailableError (domain/errors) when the node gives no usable answer; its `fault` distinguishes locked,
 * starting, away and a missing right.
 */
export interface LightningPort {
  info(): Promise<LightningInfo>;
  /** Adds the invoice; if the node already has one with this hash, returns that one, whatever its state. */
  addInvoice(request: Bolt11Request): Promise<NodeInvoice>;
  /** Null for a hash that the node does not know. */
  lookUpInvoice(paymentHash: string): Promise<NodeInvoice | null>;
  /**
   * Cancels; idempotent. `settled`: it was paid before, and stays so. `accepted`: HTLCs are being settled, call
   * again. `unknown`: the node does not know the hash, so it cannot be paid.
   */
  cancelInvoice(paymentHash: string): Promise<"canceled" | "settled" | "accepted" | "unknown">;
  /** What the node's active channels can receive, in sats; null if the macaroon does not allow reading it. */
  receivableSats(): Promise<bigint | null>;
}

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** In total: DNS lookup, connecting, TLS, the answer and the part of its body that is read. */
  deadlineMs: number;
}

export interface WebhookAnswer {
  outcome: "delivered" | "failed";
  httpStatus: number | null;
  /** A short code (`timeout`, `http-500`, `address-refused`): never an address or a secret. */
  error: string | null;
  durationMs: number;
  /** The first 4 KiB of it. */
  responseBody: Buffer | null;
  resolvedIp: string | null;
}
/** Sends one POST. Never throws because of the endpoint. */
export type SendWebhook = (request: WebhookRequest) => Promise<WebhookAnswer>;
/** Refuses a URL whose host does not resolve to allowed addresses, with an invalidField at `/url`. */
export type CheckWebhookUrl = (url: string) => Promise<void>;
/**
 * The host and port of an endpoint, by which its requests are limited; null if it is in the operator's list of
 * allowed addresses.
 */
export type LimitedHost = (url: string) => string | null;

export interface RateQuote {
  /** Units of the currency for one bitcoin, decimal string. */
  value: string;
  /** The sources that agree on it. */
  sources: string[];
  /** The oldest of the sources' times (RFC 3339). */
  at: string;
  ageSeconds: number;
}
export interface RatesPort {
  /** The sources that a store may choose from. */
  readonly sources: readonly string[];
  /**
   * The price of one bitcoin in a fiat currency, within 3 s. `only`: from these sources only. Rejects with
   * RateUnavailableError (domain/money/rate) when there is no quorum.
   */
  quote(currency: string, only?: readonly string[] | null): Promise<RateQuote>;
}

/** Where an encrypted value is stored. If it is moved elsewhere in the database, it cannot be decrypted. */
export interface SealedPlace {
  table: string;
  column: string;
  /** The row's key. */
  row: string;
}

export interface SecretsPort {
  encrypt(text: string, place: SealedPlace): Buffer;
  /** Throws when the bytes were altered or moved, or were encrypted under a secret that is not configured. */
  decrypt(encrypted: Buffer, place: SealedPlace): string;
  /** True for a value that is still encrypted under the former secret. */
  needsReencryption(encrypted: Buffer): boolean;
  /** A message authentication code of these fields. The first field names their kind. */
  mac(fields: readonly string[]): Buffer;
  /** False for null. */
  macMatches(mac: Buffer | null, fields: readonly string[]): boolean;
  /** How MACs under the former secret begin; null if there is none. */
  formerKeyId: Buffer | null;
  /** Keyed hashes for finding a text that is stored encrypted: under the present secret, then under the former one. */
  lookupHashes(text: string): readonly Buffer[];
}

/**
 * Hashes of passwords: slow, salted, and as slow for an unknown user. Only a limited number of `hash` and `verify`
 * run at a time.
 * @throws DomainError `unavailable` when too many wait.
 */
export interface PasswordsPort {
  hash(password: string): Promise<string>;
  /** False for null, after as long as for a hash. */
  verify(hash: string | null, password: string): Promise<boolean>;
  /** True for a hash that was made with weaker parameters than the present ones. */
  isStale(hash: string): Promise<boolean>;
  /** Uses lists of tens of thousands of words, which are loaded when the first password is set. */
  judge(): Promise<PasswordJudge>;
  /** The same for one request: if its client disconnects, calls that still wait are dropped. */
  until(gone: () => AbortSignal): PasswordsPort;
}

/** The stored part of a passkey. */
export interface PasskeyCredential {
  /** base64url. */
  credentialId: string;
  /** COSE key. */
  publicKey: Buffer;
  counter: number;
  transports: readonly string[];
}
/** Options for the browser (WebAuthn, as JSON), and the challenge in them. */
export interface PasskeyQuestion {
  challenge: string;
  options: object;
}
/** WebAuthn in which the authenticator always verifies its user: one passkey is two factors. */
export interface PasskeysPort {
  askToRegister(
    user: { userId: string; email: string },
    known: readonly PasskeyCredential[],
  ): Promise<PasskeyQuestion>;
  /** Null for an invalid answer. */
  verifyRegistration(answer: PasskeyResponse, challenge: string): Promise<PasskeyCredential | null>;
  /** Accepts any passkey. */
  askToLogIn(): Promise<PasskeyQuestion>;
  /** The authenticator's new counter; null for an invalid answer. */
  verifyLogin(
    answer: PasskeyResponse,
    challenge: string,
    credential: PasskeyCredential,
  ): Promise<number | null>;
}

/** Sends a mail to one person. Rejects, within some seconds, when the mail server did not accept it. */
export type SendMail = (mail: { to: string; subject: string; text: string }) => Promise<void>;

/** An operator alert as sent to a channel. */
export interface AlertMessage {
  alertId: string;
  kind: string;
  severity: string;
  storeId: string | null;
  invoiceId: string | null;
  message: string;
  at: Date;
  resolvedAt: Date | null;
}
/** A channel through which the operator receives alerts. */
export interface AlertChannel {
  /** By which the database records what it accepted; for the log, too. */
  name: AlertChannelName;
  /** How many alerts it accepts in one message. */
  atOnce: number;
  /** Rejects, within some seconds, when the alerts were not accepted. */
  send(alerts: readonly AlertMessage[]): Promise<void>;
}

type LogFields = Record<string, unknown>;
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}
