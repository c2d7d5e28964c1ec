import type { DataSource, EntityManager } from "typeorm";
import type { Network } from "../domain/network";
import type { StoreCreation } from "../domain/account/store-creation";
import type { ActorKind } from "../entities/audit-entry";
import type { Enqueue } from "./jobs";
import type {
  AlertChannel,
  ChainPort,
  CheckWebhookUrl,
  LightningPort,
  LimitedHost,
  Log,
  PasskeysPort,
  PasswordsPort,
  RatesPort,
  SecretsPort,
  SendMail,
  SendWebhook,
} from "./ports";

/** The caller on whose behalf a command runs, for the audit log. `id` is an API key's, a user's, or null. */
export interface Actor {
  kind: ActorKind;
  id: string | null;
  /** An admin who was shown the link by which the user's session began: it may have been them. */
  linkShownTo?: string;
}

/** The settings on which commands base decisions. */
export interface CommandSettings {
  network: Network;
  /** The version of this service. */
  version: string;
  publicUrl: string;
  /** A block explorer's, to which a transaction's id is added; null: no links. */
  explorerTxUrl: string | null;
  expiryHoldMinutes: number;
  /** The number of peers that the Bitcoin node must hear from; with 0 it counts as the whole network. */
  minPeers: number;
  /** Owners of stores and server admins can do nothing until they have set up a second factor. */
  requireSecondFactor: boolean;
  storeCreation: StoreCreation;
  maxStoresPerUser: number;
  maxWebhooksPerStore: number;
  maxKeysPerStore: number;
  /** `name/version` for the User-Agent of webhooks. */
  userAgent: string;
}

/**
 * Dependencies of commands outside their transaction. Built once per process, by its main.ts; the API adds the
 * caller.
 */
export interface CommandContext {
  actor: Actor;
  db: DataSource;
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
  /** The operator's channels for alerts, beside the log; null in a process that leaves sending to the sweep. */
  alertChannels: readonly AlertChannel[] | null;
  /** Null where no node is configured: the payment method is off. */
  chain: ChainPort | null;
  /** Null where no LND is configured: the payment method is off. */
  lightning: LightningPort | null;
  sendWebhook: SendWebhook;
  checkWebhookUrl: CheckWebhookUrl;
  limitedHost: LimitedHost;
  rates: RatesPort;
  log: Log;
  settings: CommandSettings;
  /** When this process began, by the database's clock. */
  startedAt: Date;
}
