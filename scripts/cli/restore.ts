import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Command, Option } from "commander";
import {
  BackupFileError,
  type Manifest,
  readManifest,
  verifyBackup,
} from "../../adapters/backup/backup-file";
import { checkTool, listDump, loadDump, type ToolRun } from "../../adapters/backup/postgres-tools";
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
} from "../../commands/installation/finish-restore";
import { readCursor } from "../../commands/chain/process-block";
import { WrongInstallationError } from "../../commands/installation/check-installation";
import type { Config } from "../../config/schema";
import { analyze, createExtensions, markUnfinished, readSchema, readSomeTables } from "../../database/backup";
import { createDataSource } from "../../database/data-source";
import { lockMigrations } from "../../database/migration-lock";
import { OLDEST_MAJOR, readServerFacts } from "../../database/server-facts";
import { configFor, RESTORING, withContext, withUnfinishedDatabase } from "./context";
import { answering, type Answer, type Terminal, wholeNumber } from "./terminal";

interface RestoreOptions {
  from: string;
  skipAddresses: number;
}

/** @throws WrongInstallationError */
function checkManifest({ network, secretCheck }: Manifest, config: Config, secrets: SecretBox): void {
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

const connect = (databaseUrl: string): Promise<Database> =>
  createDataSource({
    databaseUrl,
    poolMax: 2,
    applicationName: "quittance restore",
    unlimited: true,
  }).initialize();

/** @throws DatabaseRefusedError, BackupFileError, WrongInstallationError */
async function checkDatabase(db: Database, { migrations, version }: Manifest): Promise<void> {
  const unknown = migrations.filter((name) => !db.migrations.some((known) => known.name === name));
  if (unknown.length > 0)
    throw new BackupFileError(
      `This version does not know the tables of this backup, which is of another one (${version}): ${unknown.join(", ")}. Install that version, and run the restore there.`,
    );
  const { major } = await readServerFacts(db.manager);
  if (major < OLDEST_MAJOR)
    throw new DatabaseRefusedError(`Postgres ${major} is too old: use Postgres ${OLDEST_MAJOR} or newer.`);
  const { rows: tables } = await readSomeTables(db.manager);
  if (tables.length > 0)
    throw new DatabaseRefusedError(
      `A backup is restored into an empty database only, and this one has tables (${tables.map(({ name }) => name).join(", ")}). Create another one (\`createdb\`), set DATABASE_URL to it, and run the restore again, without migrate before it.`,
    );
  await refuseOtherSessions(db.manager);
}

/** All entries of the dump but the row of the installation, whose place the mark has. */
async function withList<T>(
  file: string,
  { env }: ToolRun,
  work: (listFile: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "quittance-restore-"));
  try {
    const listFile = path.join(folder, "list");
    const entries = await listDump(file, env);
    writeFileSync(listFile, entries.filter((line) => !/ TABLE DATA \S+ installation /.test(line)).join("\n"));
    return await work(listFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Loads the tables as the backup's version had them, and brings them to this version. @throws BackupFileError */
async function load(db: Database, file: string, manifest: Manifest, run: ToolRun): Promise<void> {
  const [here] = (await readSchema(db.manager)).rows;
  const part = { ...run, file, schema: here?.schema ?? "public" };
  await createExtensions(db.manager);
  await loadDump({ ...part, sections: ["pre-data"] });
  await markUnfinished(db.manager, Buffer.from(manifest.secretCheck, "base64"));
  await withList(file, run, (listFile) => loadDump({ ...part, sections: ["data", "post-data"], listFile }));
  await analyze(db.manager);
}

const secretsOf = ({ APP_SECRET, APP_SECRET_OLD }: Config): SecretBox =>
  makeSecretBox({ appSecret: APP_SECRET, appSecretOld: APP_SECRET_OLD });

interface Restored extends FinishedRestore {
  manifest: Manifest;
}

/** Checks everything before the first write. One restore at a time; until it is finished nothing starts on the database. */
async function restore(terminal: Terminal, { from, skipAddresses }: RestoreOptions): Promise<Restored> {
  checkSkip(skipAddresses);
  const config = configFor(terminal, ["APP_SECRET"]);
  const { DATABASE_URL: databaseUrl } = config;
  const secrets = secretsOf(config);
  const file = path.resolve(from);
  const manifest = await readManifest(file);
  checkManifest(manifest, config, secrets);
  const db = await connect(databaseUrl);
  const lock = db.createQueryRunner();
  try {
    await lockMigrations(lock.manager);
    await checkTool("pg_restore", OLDEST_MAJOR, terminal.env);
    await checkDatabase(db, manifest);
    terminal.err("restore: checking the file\n");
    await verifyBackup(file, manifest, secrets);
    terminal.err("restore: loading\n");
    await load(db, file, manifest, { databaseUrl, applicationName: "quittance restore", env: terminal.env });
    await db.runMigrations();
    await migrateQueues(databaseUrl);
    const finished = await withUnfinishedDatabase(terminal, config, (ctx) =>
      finishRestore(ctx, {
        network: manifest.network,
        takenAt: new Date(manifest.takenAt),
        skipAddresses,
      }),
    );
    return { manifest, ...finished };
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
    "Which webhooks were sent since: those that may have been are held until you resolve the alert restored, and listed as failed with the error held-after-restore. Redeliver those that the shops do not have.",
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

function answerOf({ manifest, ...finished }: Restored, skipAddresses: number): Answer {
  const { takenAt, chainHeight, version } = manifest;
  const unknown = unknownSince(takenAt, chainHeight, skipAddresses);
  const title = `Restored the backup of ${takenAt}, taken by version ${version}.`;
  return {
    json: { takenAt, version, ...finished, chainHeight, unknown },
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
