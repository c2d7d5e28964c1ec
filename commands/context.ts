import type { DataSource, EntityManager } from "typeorm";
import type { Network } from "../domain/network";
import type { Enqueue } from "./jobs";
import type { ChainPort, CheckWebhookUrl, Log, RatesPort, SecretsPort, SendWebhook } from "./ports";

/** The settings that commands judge by. */
export interface CommandSettings {
  network: Network;
  publicUrl: string;
  expiryHoldMinutes: number;
  /** `name/version` for the User-Agent of webhooks. */
  userAgent: string;
}

/** All that a command may reach of the world outside its transaction. Built once a process, by its main.ts. */
export interface CommandContext {
  db: DataSource;
  /** The database's clock. Hosts' clocks decide nothing; tests shift it. */
  now(manager: EntityManager): Promise<Date>;
  enqueue: Enqueue;
  /** `prefix_` and 24 base58 characters. */
  newId(prefix: string): string;
  newStoreId(): string;
  randomBytes(size: number): Buffer;
  secrets: SecretsPort;
  /** Null where no node is configured: the rail is off. */
  chain: ChainPort | null;
  sendWebhook: SendWebhook;
  checkWebhookUrl: CheckWebhookUrl;
  rates: RatesPort;
  log: Log;
  settings: CommandSettings;
  /** When this process began, by the database's clock. */
  startedAt: Date;
}
