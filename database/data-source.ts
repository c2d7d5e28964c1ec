import "reflect-metadata";
import path from "node:path";
import { DataSource } from "typeorm";
import { AfterCommitSubscriber } from "./after-commit";
import { Alert } from "../entities/alert";
import { ApiKey } from "../entities/api-key";
import { AuditEntry } from "../entities/audit-entry";
import { Bolt11 } from "../entities/bolt11";
import { ChainBlock } from "../entities/chain-block";
import { ChainGap } from "../entities/chain-gap";
import { Wallet } from "../entities/wallet";
import { endWhenSilent, STATEMENT_TIMEOUT_MS } from "./end-when-silent";
import { Heartbeat } from "../entities/heartbeat";
import { IdempotencyKey } from "../entities/idempotency-key";
import { Installation } from "../entities/installation";
import { Invoice } from "../entities/invoice";
import { InvoiceEvent } from "../entities/invoice-event";
import { InvoiceHistory } from "../entities/invoice-history";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { Lease } from "../entities/lease";
import { LightningCursor } from "../entities/lightning-cursor";
import { OtherChain } from "../entities/other-chain";
import { Passkey } from "../entities/passkey";
import { PasskeyChallenge } from "../entities/passkey-challenge";
import { SnakeCaseNaming } from "./naming";
import { Payment } from "../entities/payment";
import { PaymentInput } from "../entities/payment-input";
import { PaymentTransaction } from "../entities/payment-transaction";
import { PaymentMethodSync } from "../entities/payment-method-sync";
import { RateLimit } from "../entities/rate-limit";
import { ReconciliationReport } from "../entities/reconciliation-report";
import { RecoveryCode } from "../entities/recovery-code";
import { Session } from "../entities/session";
import { SetAside } from "../entities/set-aside";
import { Store } from "../entities/store";
import { StoreInvitation } from "../entities/store-invitation";
import { StoreMember } from "../entities/store-member";
import { StorePaymentMethod } from "../entities/store-payment-method";
import { User } from "../entities/user";
import { UserLink } from "../entities/user-link";
import { WatchedScript } from "../entities/watched-script";
import { Webhook } from "../entities/webhook";
import { WebhookAttempt } from "../entities/webhook-attempt";
import { WebhookDelivery } from "../entities/webhook-delivery";

export const ENTITIES = [
  Alert,
  ApiKey,
  AuditEntry,
  Bolt11,
  ChainBlock,
  ChainGap,
  Wallet,
  Heartbeat,
  IdempotencyKey,
  Installation,
  Invoice,
  InvoiceEvent,
  InvoiceHistory,
  InvoicePaymentMethod,
  Lease,
  LightningCursor,
  OtherChain,
  Passkey,
  PasskeyChallenge,
  Payment,
  PaymentInput,
  PaymentTransaction,
  PaymentMethodSync,
  RateLimit,
  ReconciliationReport,
  RecoveryCode,
  Session,
  SetAside,
  Store,
  StoreInvitation,
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
    migrations: [path.join(__dirname, "migrations/[0-9]*.{ts,js}")],
    migrationsTableName: "migrations",
    migrationsTransactionMode: "each",
    namingStrategy: new SnakeCaseNaming(),
    synchronize: false,
    extra: {
      max: poolMax,
      // Statements of one transaction that do not need each other's answers wait together (database/pipelined).
      pipeline: true,
      // A burst waits for the pool's few connections in turn: that is no outage yet.
      connectionTimeoutMillis: 15_000,
      keepAlive: true,
      // A server that is gone without a word is noticed, where the system's own default is two hours.
      keepAliveInitialDelayMillis: 10_000,
      ...(unlimited ? {} : { onConnect: endWhenSilent() }),
      statement_timeout: unlimited ? 0 : STATEMENT_TIMEOUT_MS,
      lock_timeout: unlimited ? 0 : 10_000,
      // A watcher's host that vanishes in mid-transaction must not hold the lease row longer than the lease lasts.
      idle_in_transaction_session_timeout: 8_000,
    },
  });
}
