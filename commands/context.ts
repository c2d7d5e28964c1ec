import type { DataSource, EntityManager } from "typeorm";
import type { Network } from "../domain/network";
import type { StoreCreation } from "../domain/account/store-creation";
import type { StoreLightning } from "../domain/lightning/store-lightning";
import type { ActorKind } from "../entities/audit-entry";
import type { Enqueue } from "./jobs";
import type { Lease } from "../database/lease";
import type {
  AlertChannel,
  ChainPort,
  CheckWebhookUrl,
  LightningNodes,
  Log,
  PasskeysPort,
  PasswordsPort,
  RatesPort,
  SecretsPort,
  SendMail,
  SendWebhook,
} from "./ports";
import type { VisitNode } from "./node-visit";

/** For the audit log. `id` is an API key's, a user's, or null. */
export interface Actor {
  kind: ActorKind;
  id: string | null;
  /** An admin who was shown the link of the user's session: it may have been them. */
  linkShownTo?: string;
}

export interface CommandSettings {
  network: Network;
  version: string;
  publicUrl: string;
  /** A block explorer's, to which a txid is appended; null: no links. */
  explorerTxUrl: string | null;
  expiryHoldMinutes: number;
  /** The Bitcoin node must hear from so many; 0: it counts as the whole network. */
  minPeers: number;
  /** Owners of stores and admins can do nothing without one. */
  requireSecondFactor: boolean;
  storeCreation: StoreCreation;
  maxStoresPerUser: number;
  maxWebhooksPerStore: number;
  maxKeysPerStore: number;
  /** Who may connect LNDs of their own. */
  storeLightning: StoreLightning;
  maxLightningNodes: number;
  userAgent: string;
}

/** Built once per process; the API adds the caller. */
export interface CommandContext {
  actor: Actor;
  db: DataSource;
  /** A leader's: every transaction checks it first. */
  lease?: Lease;
  /** The database's clock. Hosts' clocks decide nothing; tests shift it. */
  now(manager: EntityManager): Promise<Date>;
  enqueue: Enqueue;
  /** `prefix_` and 24 base58 characters. */
  newId(prefix: string): string;
  newStoreId(): string;
  randomBytes(size: number): Buffer;
  secrets: SecretsPort;
  passwords: PasswordsPort;
  passkeys: PasskeysPort;
  /** Null without a mail server: links are handed over by users who may see them. */
  sendMail: SendMail | null;
  /** Beside the log; null in a process that leaves sending to the sweep. */
  alertChannels: readonly AlertChannel[] | null;
  chain: ChainPort | null;
  lightning: LightningNodes;
  /** To a store's node, before its access is stored. */
  visitNode: VisitNode;
  sendWebhook: SendWebhook;
  checkWebhookUrl: CheckWebhookUrl;
  rates: RatesPort;
  log: Log;
  settings: CommandSettings;
  startedAt: Date;
}

/** A leader's, with its lease. */
export type LeaderContext = CommandContext & { lease: Lease };
