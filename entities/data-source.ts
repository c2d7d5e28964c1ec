import "reflect-metadata";
import path from "node:path";
import { DataSource } from "typeorm";
import { AfterCommitSubscriber } from "./after-commit";
import { Alert } from "./alert";
import { ApiKey } from "./api-key";
import { AuditEntry } from "./audit-entry";
import { Bolt11 } from "./bolt11";
import { ChainBlock } from "./chain-block";
import { Derivation } from "./derivation";
import { Heartbeat } from "./heartbeat";
import { IdempotencyKey } from "./idempotency-key";
import { Installation } from "./installation";
import { Invoice } from "./invoice";
import { InvoiceEvent } from "./invoice-event";
import { InvoiceHistory } from "./invoice-history";
import { InvoicePaymentMethod } from "./invoice-payment-method";
import { Lease } from "./lease";
import { LightningCursor } from "./lightning-cursor";
import { Passkey } from "./passkey";
import { PasskeyChallenge } from "./passkey-challenge";
import { SnakeCaseNaming } from "./naming";
import { Payment } from "./payment";
import { PaymentInput } from "./payment-input";
import { Rail } from "./rail";
import { RateLimit } from "./rate-limit";
import { ReconciliationReport } from "./reconciliation-report";
import { RecoveryCode } from "./recovery-code";
import { Session } from "./session";
import { Store } from "./store";
import { StoreMember } from "./store-member";
import { StorePaymentMethod } from "./store-payment-method";
import { User } from "./user";
import { UserLink } from "./user-link";
import { WatchedScript } from "./watched-script";
import { Webhook } from "./webhook";
import { WebhookAttempt } from "./webhook-attempt";
import { WebhookDelivery } from "./webhook-delivery";

export const ENTITIES = [
  Alert,
  ApiKey,
  AuditEntry,
  Bolt11,
  ChainBlock,
  Derivation,
  Heartbeat,
  IdempotencyKey,
  Installation,
  Invoice,
  InvoiceEvent,
  InvoiceHistory,
  InvoicePaymentMethod,
  Lease,
  LightningCursor,
  Passkey,
  PasskeyChallenge,
  Payment,
  PaymentInput,
  Rail,
  RateLimit,
  ReconciliationReport,
  RecoveryCode,
  Session,
  Store,
  StoreMember,
  StorePaymentMethod,
  User,
  UserLink,
  WatchedScript,
  Webhook,
  WebhookAttempt,
  WebhookDelivery,
];

export interface DataSourceSettings {
  databaseUrl: string;
  poolMax: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** For migrations, which may take long on a large table: statements and waits for locks have no limit. */
  unlimited?: boolean;
}

/** The one data source of a process. No command waits for anything but Postgres inside a transaction, so a session that idles in one belongs to a dead or cut-off process. */
export function createDataSource(settings: DataSourceSettings): DataSource {
  const { databaseUrl, poolMax, applicationName, unlimited = false } = settings;
  return new DataSource({
    type: "postgres",
    url: databaseUrl,
    applicationName,
    entities: ENTITIES,
    subscribers: [AfterCommitSubscriber],
    migrations: [path.join(__dirname, "../migrations/[0-9]*.{ts,js}")],
    migrationsTableName: "migrations",
    migrationsTransactionMode: "each",
    namingStrategy: new SnakeCaseNaming(),
    synchronize: false,
    extra: {
      max: poolMax,
      // A burst waits for the pool's few connections in turn: that is no outage yet.
      connectionTimeoutMillis: 15_000,
      keepAlive: true,
      // A server that is gone without a word is noticed, where the system's own default is two hours.
      keepAliveInitialDelayMillis: 10_000,
      statement_timeout: unlimited ? 0 : 30_000,
      lock_timeout: unlimited ? 0 : 10_000,
      // A watcher's host that vanishes in mid-transaction must not hold the lease row longer than the lease lasts.
      idle_in_transaction_session_timeout: 8_000,
    },
  });
}
