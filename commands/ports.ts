import type { PasskeyResponse } from "../domain/account/passkey";
import type { PasswordJudge } from "../domain/account/password";
import type { NodeRefusal } from "../domain/chain/node-refusal";
import type { Peer } from "../domain/chain/peer-echo";
import type { AlertChannelName } from "../entities/alert";

/** Adapters implement these; nothing here names a package. */

export interface NodeInfo {
  /** bitcoind's own name: main, testnet4, signet, regtest. */
  chain: string;
  blocks: number;
  headers: number;
  bestBlockHash: string;
  initialBlockDownload: boolean;
  /** 0 if nothing was pruned. */
  pruneHeight: number;
  /** Unix seconds, of the best block. */
  tipTimeSeconds: number;
}

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
  /** Unix seconds. */
  timeSeconds: number;
  inActiveChain: boolean;
}

export interface MempoolEntry {
  /** Unix seconds. */
  timeSeconds: number;
  hasUnconfirmedParents: boolean;
}

/** `accepted`: in its mempool, also if it was there before; `in-chain`: in a block. */
export type BroadcastAnswer = { outcome: "accepted" | "in-chain" } | ({ outcome: "refused" } & NodeRefusal);

/** Every method rejects with NodeUnavailableError (domain/errors) when the node gives no usable answer. */
export interface ChainPort {
  info(): Promise<NodeInfo>;
  connectivity(): Promise<NodeConnectivity>;
  pingPeers(): Promise<void>;
  uptimeSeconds(): Promise<number>;
  mempoolLoaded(): Promise<boolean>;
  /** Null above the tip. */
  blockHash(height: number): Promise<string | null>;
  /** Null: unknown to the node. */
  blockHeader(hash: string): Promise<BlockHeader | null>;
  /** Serialised; null when pruned or unknown. */
  rawBlock(hash: string): Promise<Buffer | null>;
  mempoolTxids(): Promise<string[]>;
  /** Null: not in the mempool. */
  mempoolEntry(txid: string): Promise<MempoolEntry | null>;
  /** Unconfirmed; null when not in the mempool. */
  mempoolAncestors(txid: string): Promise<string[] | null>;
  /** Raw, by txid, as far as they are in the mempool. */
  mempoolTransactions(txids: readonly string[]): Promise<Map<string, Buffer>>;
  /** By 36 wire bytes as hex `txid:vout`. */
  mempoolSpenders(outpoints: readonly { txid: string; vout: number }[]): Promise<Map<string, string>>;
  /**
   * A transaction in the chain of whose first sixteen outputs one is unspent; null: there is none. `raw` is null when
   * its block is pruned.
   */
  minedTransaction(txid: string): Promise<{ raw: Buffer | null } | null>;
  broadcast(rawTx: Buffer): Promise<BroadcastAnswer>;
}

export interface LightningInfo {
  /** Compressed, hex; null if the macaroon hides it. */
  nodeKey: string | null;
  /** mainnet, testnet4, signet, regtest; null if the macaroon hides it. */
  network: string | null;
  /** Null if the macaroon hides it. */
  synchronized: boolean | null;
}

export interface LightningFacts extends LightningInfo {
  /** By active channels; null if the macaroon hides it. */
  receivableSats: bigint | null;
  /** By LND's names (`info:read`, `offchain:read`). */
  missingRights: readonly string[];
}

export interface Bolt11Request {
  /** 32 bytes, ours: the hash is committed before the request, so that a repeated one finds the same invoice. */
  preimage: Buffer;
  /** Above 0. */
  amountSats: bigint;
  /** BOLT 11 `d`, or its hash (`h`) above LND's 639 bytes. */
  description: string;
  expiresInSeconds: number;
  /** For a node without public channels. */
  privateRouteHints: boolean;
}

/** An ACCEPTED one holds HTLCs that are not settled: it does not count as paid. */
export interface NodeInvoice {
  /** Hex, as all hashes and preimages here. */
  paymentHash: string;
  state: "open" | "accepted" | "settled" | "canceled";
  bolt11: string;
  /** `amt_paid_msat`; 0 before it is settled. */
  amountPaidMsat: bigint;
  settledAt: Date | null;
  /** 0 before it is settled; grows by one with each settled invoice of the node. */
  settleIndex: bigint;
  preimage: string | null;
}

/** Without `given` the server's node, which the environment names. */
export interface NodeAccess {
  /** Its row's. */
  id: string;
  given?: {
    /** `host:port` */
    address: string;
    /** PEM; null: the system's authorities. */
    certificate: string | null;
    /** Hex. Never logged. */
    macaroon: string;
  };
}

/**
 * Each call has a deadline of some seconds, and rejects with NodeUnavailableError (domain/errors) without a usable
 * answer.
 */
export interface LightningPort {
  info(): Promise<LightningInfo>;
  /** With a call more, whose answer may be long. */
  facts(): Promise<LightningFacts>;
  /** Returns the invoice that already has this hash, whatever its state. */
  addInvoice(request: Bolt11Request): Promise<NodeInvoice>;
  /** Null: unknown to the node. */
  lookUpInvoice(paymentHash: string): Promise<NodeInvoice | null>;
  /** Idempotent. `settled`: paid before; `accepted`: HTLCs are being settled, call again; `unknown`: cannot be paid. */
  cancelInvoice(paymentHash: string): Promise<"canceled" | "settled" | "accepted" | "unknown">;
  /** By active channels; null if the macaroon hides it. */
  receivableSats(): Promise<bigint | null>;
}

/** A client for each node, kept while its access stays the same. */
export interface LightningNodes {
  /** LND_GRPC_URL is set. */
  readonly server: boolean;
  /** Nothing is called yet. */
  of(access: NodeAccess): LightningPort;
}

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** In total, from the DNS lookup to the body's last byte that is read. */
  deadlineMs: number;
}

export interface WebhookAnswer {
  outcome: "delivered" | "failed";
  httpStatus: number | null;
  /** `timeout`, `http-500`, `address-refused`: never an address or a secret. */
  error: string | null;
  durationMs: number;
  /** The first 4 KiB. */
  responseBody: Buffer | null;
  resolvedIp: string | null;
  /** By which requests are limited. Absent: the name did not resolve. */
  host?: LimitedHost;
}
/** Host and port; null where the operator allows all its addresses. */
export type LimitedHost = string | null;
export type SendWebhook = (request: WebhookRequest) => Promise<WebhookAnswer>;
/** Refuses, with an invalidField at `/url`, a host that does not resolve to allowed addresses. */
export type CheckWebhookUrl = (url: string) => Promise<LimitedHost>;

export interface RateQuote {
  /** For one bitcoin, decimal string. */
  value: string;
  sources: string[];
  /** The oldest source's, RFC 3339. */
  at: string;
  ageSeconds: number;
}
export interface RatesPort {
  readonly sources: readonly string[];
  /** For a bitcoin, within 3 s. `only`: from these sources. Rejects with RateUnavailableError without a quorum. */
  quote(currency: string, only?: readonly string[] | null): Promise<RateQuote>;
}

/** Moved elsewhere in the database, the value cannot be decrypted. */
export interface SealedPlace {
  table: string;
  column: string;
  /** The row's key. */
  row: string;
}

export interface SecretsPort {
  encrypt(text: string, place: SealedPlace): Buffer;
  /** Throws when altered, moved, or under a secret that is not configured. */
  decrypt(encrypted: Buffer, place: SealedPlace): string;
  /** Still under the former secret. */
  needsReencryption(encrypted: Buffer): boolean;
  /** The first field names their kind. */
  mac(fields: readonly string[]): Buffer;
  /** False for null. */
  macMatches(mac: Buffer | null, fields: readonly string[]): boolean;
  /** Null without a former secret. */
  formerKeyId: Buffer | null;
  /** For finding a text that is stored encrypted: under the present secret, then the former. */
  lookupHashes(text: string): readonly Buffer[];
}

/**
 * Slow, salted, and as slow for an unknown user; a limited number at a time.
 * @throws DomainError `unavailable` when too many wait.
 */
export interface PasswordsPort {
  hash(password: string): Promise<string>;
  /** False for null, after as long as for a hash. */
  verify(hash: string | null, password: string): Promise<boolean>;
  /** Made with weaker parameters than the present ones. */
  isStale(hash: string): Promise<boolean>;
  /** Tens of thousands of words, loaded when the first password is set. */
  judge(): Promise<PasswordJudge>;
  /** For one request: if its client disconnects, waiting calls are dropped. */
  until(gone: () => AbortSignal): PasswordsPort;
}

export interface PasskeyCredential {
  /** base64url. */
  credentialId: string;
  /** COSE key. */
  publicKey: Buffer;
  counter: number;
  transports: readonly string[];
}
/** WebAuthn, as JSON. */
export interface PasskeyQuestion {
  challenge: string;
  options: object;
}
/** The authenticator always verifies its user: a passkey is two factors. */
export interface PasskeysPort {
  askToRegister(
    user: { userId: string; email: string },
    known: readonly PasskeyCredential[],
  ): Promise<PasskeyQuestion>;
  /** Null: invalid. */
  verifyRegistration(answer: PasskeyResponse, challenge: string): Promise<PasskeyCredential | null>;
  /** Accepts any passkey. */
  askToLogIn(): Promise<PasskeyQuestion>;
  /** The authenticator's new counter; null: invalid. */
  verifyLogin(
    answer: PasskeyResponse,
    challenge: string,
    credential: PasskeyCredential,
  ): Promise<number | null>;
}

/** Rejects, within some seconds, when the mail server did not accept it. */
export type SendMail = (mail: { to: string; subject: string; text: string }) => Promise<void>;

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
export interface AlertChannel {
  /** Stored with what it accepted; for the log, too. */
  name: AlertChannelName;
  /** In one message. */
  atOnce: number;
  /** Rejects, within some seconds, when not accepted. */
  send(alerts: readonly AlertMessage[]): Promise<void>;
}

/** Each line has these by itself: a second one would be lost, or win. */
type Own = "level" | "time" | "worker" | "instance" | "message";
type LogFields = Record<string, unknown> & { [field in Own]?: never };
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}
