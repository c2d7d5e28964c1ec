import path from "node:path";
import { type Command, Option } from "commander";
import { BackupFileError, type BackupHeader } from "../../adapters/backup-file/format";
import { readBackupHeader, tablesOf, verifyBackupFile } from "../../adapters/backup-file/read-backup-file";
import { makeSecretBox, type SecretBox } from "../../adapters/crypto";
import { DatabaseRefusedError } from "../../adapters/database";
import { migrateQueues } from "../../adapters/queues/postgres-backend";
import {
  checkSkip,
  type FinishedRestore,
  finishOtherRestore,
  finishRestore,
  refuseOtherSessions,
  SKIP_BY_DEFAULT,
} from "../../commands/backup/finish-restore";
import { readCursor } from "../../commands/chain/process-block";
import { WrongInstallationError } from "../../commands/server/check-installation";
import type { Config } from "../../config/schema";
import { loadTables, markUnfinished, someTables, type TableRows } from "../../database/backup/load-tables";
import { createDataSource } from "../../database/data-source";
import { lockMigrations } from "../../database/migration-lock";
import { OLDEST_MAJOR, readServerFacts } from "../../database/server-facts";
import { configFor, RESTORING, withContext, withUnfinishedDatabase } from "./context";
import { AUTHENTICATED, authenticateAccess } from "./migrate";
import { answering, type Answer, type Terminal, wholeNumber } from "./terminal";

interface RestoreOptions {
  from: string;
  skipAddresses: number;
}

/** @throws WrongInstallationError */
function checkHeader({ network, secretCheck }: BackupHeader, config: Config, secrets: SecretBox): void {
  if (network !== config.NETWORK)
    throw new WrongInstallationError(
      `This backup is of ${network}, but NETWORK is ${config.NETWORK}. Set NETWORK=${network}, or use another backup.`,
    );
  if (!secrets.checkValueMatches(Buffer.from(secretCheck, "base64")))
    throw new WrongInstallationError(
      "APP_SECRET is not the one of this backup. Set that one (a copy should be apart from your backups); one that was changed since can be given as APP_SECRET_OLD.",
    );
}

type Database = ReturnType<typeof createDataSource>;

async function connect(databaseUrl: string, lastMigration?: string): Promise<Database> {
  const db = createDataSource({
    databaseUrl,
    poolMax: 2,
    applicationName: "quittance restore",
    unlimited: true,
    ...(lastMigration === undefined ? {} : { lastMigration }),
  });
  return db.initialize();
}

/** @throws DatabaseRefusedError, BackupFileError, WrongInstallationError */
async function checkDatabase(
  db: Database,
  databaseUrl: string,
  { migrations, version }: BackupHeader,
): Promise<void> {
  const unknown = migrations.filter((name) => !db.migrations.some((known) => known.name === name));
  if (unknown.length > 0)
    throw new BackupFileError(
      `This backup is of a newer version (${version}): its tables have ${unknown.join(", ")}. Install that version or a newer one, and run the restore there.`,
    );
  const { major } = await readServerFacts(db.manager);
  if (major < OLDEST_MAJOR)
    throw new DatabaseRefusedError(`Postgres ${major} is too old: use Postgres ${OLDEST_MAJOR} or newer.`);
  const tables = await someTables(databaseUrl);
  if (tables.length > 0)
    throw new DatabaseRefusedError(
      `A backup is restored into an empty database only, and this one has tables (${tables.join(", ")}). Create another one (\`createdb\`), set DATABASE_URL to it, and run the restore again, without migrate before it.`,
    );
  await refuseOtherSessions(db.manager);
}

/** Brings the tables to that migration, or to the last one of this version. */
async function migrateTo(databaseUrl: string, lastMigration?: string): Promise<void> {
  const db = await connect(databaseUrl, lastMigration);
  try {
    await db.runMigrations();
  } finally {
    await db.destroy();
  }
}

/** Loads the tables as the backup's version had them, and brings them to this version. @throws BackupFileError */
async function load(terminal: Terminal, file: string, header: BackupHeader, config: Config): Promise<number> {
  const databaseUrl = config.DATABASE_URL;
  await migrateTo(databaseUrl, header.migrations[0]); // it creates the table of the mark
  await markUnfinished(databaseUrl, Buffer.from(header.secretCheck, "base64"));
  await migrateTo(databaseUrl, header.migrations.at(-1));
  let expected = 0;
  async function* tables(): AsyncGenerator<TableRows> {
    for await (const table of tablesOf(file, secretsOf(config), (rows) => (expected = rows))) {
      terminal.err(`restore: loading ${table.name}\n`);
      yield table;
    }
  }
  const rows = await loadTables(databaseUrl, tables(), () => expected);
  if (!header.migrations.includes(AUTHENTICATED)) await authenticateAccess(databaseUrl, secretsOf(config)); // the file was proven
  await migrateTo(databaseUrl);
  await migrateQueues(databaseUrl);
  return rows;
}

const secretsOf = ({ APP_SECRET, APP_SECRET_OLD }: Config): SecretBox =>
  makeSecretBox({ appSecret: APP_SECRET, appSecretOld: APP_SECRET_OLD });

interface Restored extends FinishedRestore {
  header: BackupHeader;
  rows: number;
}

/** Checks everything before the first write. One restore at a time; until it is finished nothing starts on the database. */
async function restore(terminal: Terminal, { from, skipAddresses }: RestoreOptions): Promise<Restored> {
  checkSkip(skipAddresses);
  const config = configFor(terminal, ["APP_SECRET"]);
  const file = path.resolve(from);
  const header = await readBackupHeader(file);
  checkHeader(header, config, secretsOf(config));
  const db = await connect(config.DATABASE_URL);
  const lock = db.createQueryRunner();
  try {
    await lockMigrations(lock.manager);
    await checkDatabase(db, config.DATABASE_URL, header);
    terminal.err("restore: checking the file\n");
    await verifyBackupFile(file, secretsOf(config));
    const rows = await load(terminal, file, header, config);
    const finished = await withUnfinishedDatabase(terminal, config, (ctx) =>
      finishRestore(ctx, { network: header.network, takenAt: new Date(header.takenAt), skipAddresses }),
    );
    return { header, rows, ...finished };
  } finally {
    await lock.release();
    await db.destroy();
  }
}

/** What no database from before a loss can know, and what to do about it. `after`: from when on it knows nothing. */
function unknownSince(after: string, chainHeight: number | null, skipAddresses: number): string[] {
  return [
    `Invoices created after ${after} are lost. Payments to their addresses and BOLT11s are not recognised: compare your shops' orders, your wallets and \`lncli listinvoices\`.`,
    `How many addresses were given out since: each wallet skips ${skipAddresses}. If one may have given out more, run \`wallet skip\` before the start. Raise the gap limit of your own wallets accordingly.`,
    "Which wallets were set since: set them again with a start index (startIndex, --start-index) above every address that they gave out; without one they begin at 0, and give out addresses that customers have.",
    "Which webhooks were sent since: those that may have been are held, and listed as failed with the error held-after-restore. Redeliver those that the shops do not have.",
    "Users, roles, API keys, webhooks and settings are those from before the loss: what was deleted since is there again. All users have to log in again, and one-time links are void.",
    `Blocks from ${chainHeight ?? "the first"} on and what LND settled since are read by the apps: start them with an empty Redis.`,
  ];
}

/** What was done to the database, and what could not be known. */
function linesOf({ wallets, heldDeliveries }: FinishedRestore, unknown: readonly string[]): string[] {
  return [
    ...wallets.map(
      ({ walletId, from, to }) => `Wallet ${walletId}: the next address has index ${to} (was ${from}).`,
    ),
    `${heldDeliveries} deliveries that were pending are held.`,
    "What could not be known:",
    ...unknown.map((text) => `  - ${text}`),
  ];
}

function answerOf({ header, rows, ...finished }: Restored, skipAddresses: number): Answer {
  const { takenAt, chainHeight, version } = header;
  const unknown = unknownSince(takenAt, chainHeight, skipAddresses);
  const title = `Restored ${rows} rows of the backup of ${takenAt}, taken by version ${version}.`;
  return {
    json: { takenAt, version, rows, ...finished, chainHeight, unknown },
    text: [title, ...linesOf(finished, unknown)].join("\n"),
  };
}

async function finishOther(terminal: Terminal, skipAddresses: number): Promise<Answer> {
  const { takenAt, chainHeight, ...finished } = await withContext(
    terminal,
    ["APP_SECRET"],
    async (ctx) => ({
      ...(await finishOtherRestore(ctx, skipAddresses)),
      chainHeight: (await readCursor(ctx.db.manager))?.height ?? null,
    }),
    RESTORING,
  );
  const unknown = unknownSince("the last commit that the database has", chainHeight, skipAddresses);
  const title = `An app last worked on this database at ${takenAt.toISOString()}. If apps ran after the failover, the loss is older.`;
  return {
    json: { takenAt, ...finished, chainHeight, unknown },
    text: [title, ...linesOf(finished, unknown)].join("\n"),
  };
}

const skipOption = (): Option =>
  new Option("--skip-addresses <number>", "how many addresses any wallet may have given out since")
    .argParser(wholeNumber)
    .default(SKIP_BY_DEFAULT);

export function addRestoreCommands(cli: Command, terminal: Terminal): void {
  cli
    .command("restore")
    .description("restore a backup into an empty database, before the apps are started")
    .requiredOption("--from <file>", "the backup")
    .addOption(skipOption())
    .action(
      answering(terminal, async (options: RestoreOptions) =>
        answerOf(await restore(terminal, options), options.skipAddresses),
      ),
    );
  cli
    .command("finish-restore")
    .description(
      "after a restore by another tool, or a failover that lost commits, before the apps are started: nothing is given out or sent twice",
    )
    .addOption(skipOption())
    .action(
      answering(terminal, ({ skipAddresses }: Pick<RestoreOptions, "skipAddresses">) =>
        finishOther(terminal, skipAddresses),
      ),
    );
}
