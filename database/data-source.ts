import "reflect-metadata";
import { readdirSync } from "node:fs";
import path from "node:path";
import { DataSource, DefaultNamingStrategy, type EntityManager } from "typeorm";
import { Alert } from "../entities/alert";
import { ApiKey } from "../entities/api-key";
import { AuditEntry } from "../entities/audit-entry";
import { Bolt11 } from "../entities/bolt11";
import { ChainBlock } from "../entities/chain-block";
import { ChainGap } from "../entities/chain-gap";
import { DaySums } from "../entities/day-sums";
import { Wallet } from "../entities/wallet";
import { Heartbeat } from "../entities/heartbeat";
import { IdempotencyKey } from "../entities/idempotency-key";
import { Installation } from "../entities/installation";
import { Invoice } from "../entities/invoice";
import { InvoiceEvent } from "../entities/invoice-event";
import { InvoiceHistory } from "../entities/invoice-history";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { Lease } from "../entities/lease";
import { LightningCursor } from "../entities/lightning-cursor";
import { LightningNode } from "../entities/lightning-node";
import { MailChoice } from "../entities/mail-choice";
import { Notice } from "../entities/notice";
import { ReceiptMail } from "../entities/receipt-mail";
import { OtherChain } from "../entities/other-chain";
import { Passkey } from "../entities/passkey";
import { PasskeyChallenge } from "../entities/passkey-challenge";
import { pinSession } from "./pin-session";
import { statement } from "./statement";
import { Payment } from "../entities/payment";
import { PaymentInput } from "../entities/payment-input";
import { PaymentTransaction } from "../entities/payment-transaction";
import { PaymentLink } from "../entities/payment-link";
import { PaymentMethodSync } from "../entities/payment-method-sync";
import { RateLimit } from "../entities/rate-limit";
import { RecoveryCode } from "../entities/recovery-code";
import { Restore } from "../entities/restore";
import { Review } from "../entities/review";
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
import type { Socket } from "node:net";
import type { Client, ClientBase } from "pg";

export const STATEMENT_TIMEOUT_MS = 30_000;
/** Until then a server that is up has answered. */
const SILENT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** A socket's time-out, by which callers recognise an outage. */
class SilentDatabaseError extends Error {
  override readonly name = "SilentDatabaseError";
  readonly code = "ETIMEDOUT";
}

/**
 * For a pool's `onConnect`: a host that vanished never answers, and TCP keeps trying for a quarter of an hour, without
 * keep-alive probes. Idle connections stay, and a large answer takes as long as its bytes come (docs/adr/0005).
 */
export function endWhenSilent(silentMs = SILENT_MS): (client: ClientBase) => void {
  return (client) => {
    const socket = (client as Client).connection.stream as Socket;
    // `drain`: no answer is outstanding.
    let answeredBytes = socket.bytesWritten;
    client.on("drain", () => (answeredBytes = socket.bytesWritten));
    socket.on("timeout", () => {
      if (socket.bytesWritten !== answeredBytes)
        socket.destroy(new SilentDatabaseError(`the database was silent for ${silentMs / 1_000} s`));
    });
    socket.setTimeout(silentMs);
  };
}

export const ENTITIES = [
  Alert,
  ApiKey,
  AuditEntry,
  Bolt11,
  ChainBlock,
  ChainGap,
  DaySums,
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
  LightningNode,
  MailChoice,
  Notice,
  ReceiptMail,
  OtherChain,
  Passkey,
  PasskeyChallenge,
  Payment,
  PaymentInput,
  PaymentTransaction,
  PaymentLink,
  PaymentMethodSync,
  RateLimit,
  RecoveryCode,
  Restore,
  Review,
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
  applicationName: string;
  /** Statements and locks without limit, for migrations and backups. */
  unlimited?: boolean;
  /** Default: 10 s, or without a limit. */
  lockTimeoutMs?: number;
  /** Default: all. */
  lastMigration?: string;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** SQL written by hand needs no quotes. */
export class SnakeCaseNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? snakeCase(propertyName);
  }
}

const MIGRATIONS = path.join(__dirname, "migrations");
const MIGRATION_NUMBER = /\d+$/;

function migrationFiles(last?: string): string[] {
  if (last === undefined) return [path.join(MIGRATIONS, "[0-9]*.{ts,js}")];
  const upTo = Number(MIGRATION_NUMBER.exec(last)?.[0]);
  return readdirSync(MIGRATIONS)
    .filter((file) => /^\d.*\.(ts|js)$/.test(file) && Number.parseInt(file, 10) <= upTo)
    .map((file) => path.join(MIGRATIONS, file));
}

const breakWhenSilent = endWhenSilent();

/**
 * A process has a single data source. Commands wait only for Postgres in a transaction: an idle session in one belongs
 * to a dead process.
 */
export function createDataSource(settings: DataSourceSettings): DataSource {
  const { databaseUrl, poolMax, applicationName, unlimited = false, lastMigration } = settings;
  const { lockTimeoutMs = unlimited ? 0 : 10_000 } = settings;
  return new DataSource({
    type: "postgres",
    url: databaseUrl,
    applicationName,
    entities: ENTITIES,
    migrations: migrationFiles(lastMigration),
    migrationsTableName: "migrations",
    migrationsTransactionMode: "each",
    namingStrategy: new SnakeCaseNaming(),
    synchronize: false,
    // Its own writes to standard output, which is the command's answer.
    logger: "debug",
    extra: {
      max: poolMax,
      // See database/pipelined.
      pipeline: true,
      // Waiting for the pool in a burst is not an outage.
      connectionTimeoutMillis: 15_000,
      keepAlive: true,
      // The system's default is two hours.
      keepAliveInitialDelayMillis: 10_000,
      onConnect: (client: Parameters<typeof breakWhenSilent>[0]): Promise<void> => {
        if (!unlimited) breakWhenSilent(client);
        return pinSession(client);
      },
      statement_timeout: unlimited ? 0 : STATEMENT_TIMEOUT_MS,
      lock_timeout: lockTimeoutMs,
      // A vanished host must not hold the lease row longer than the lease lasts.
      idle_in_transaction_session_timeout: 8_000,
    },
  });
}

const readTime = statement<[], { now: Date }>("database.read-time", "SELECT clock_timestamp() AS now");

export async function databaseNow(manager: EntityManager): Promise<Date> {
  const {
    rows: [row],
  } = await readTime(manager);
  if (row === undefined) throw new Error("the database gave no time");
  return row.now;
}
