import path from "node:path";
import type { Command } from "commander";
import { makeSecretBox } from "../../adapters/crypto";
import { DatabaseRefusedError } from "../../adapters/database";
import { type BackupHeader, headerSchema } from "../../adapters/backup-file/format";
import { writeBackupFile } from "../../adapters/backup-file/write-backup-file";
import { readVersion } from "../../adapters/version";
import type { SnapshotFacts } from "../../database/backup/dump-tables";
import { withSnapshot } from "../../database/backup/dump-tables";
import { configFor, withContext } from "./context";
import { answering, type Terminal } from "./terminal";

function headerOf({ takenAt, secretCheck, ...facts }: SnapshotFacts): BackupHeader {
  return headerSchema.parse({
    quittanceBackup: 1,
    version: readVersion(),
    takenAt: takenAt.toISOString(),
    secretCheck: secretCheck.toString("base64"),
    ...facts,
  });
}

/** A table that this version does not know would be missing. @throws DatabaseRefusedError */
function checkMigrations(applied: readonly string[], known: readonly string[]): void {
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new DatabaseRefusedError(
      `The database is newer than this version: it has ${unknown.join(", ")}. Run backup with the version that migrated it.`,
    );
}

export function addBackupCommand(cli: Command, terminal: Terminal): void {
  cli
    .command("backup")
    .description("back up the database into a file, beside the running apps; APP_SECRET is not in it")
    .requiredOption("--to <file>", "a new file")
    .action(
      answering(terminal, async ({ to }: { to: string }) => {
        const config = configFor(terminal, ["APP_SECRET"]);
        const known = await withContext(terminal, ["APP_SECRET"], async ({ db }) =>
          db.migrations.map(({ name }) => name ?? ""),
        );
        const file = path.resolve(to);
        const secrets = makeSecretBox({ appSecret: config.APP_SECRET, appSecretOld: config.APP_SECRET_OLD });
        const progress = (table: string, rows: number): void =>
          terminal.err(`backup: ${table}: ${rows} rows\n`);
        return withSnapshot(config.DATABASE_URL, async (snapshot) => {
          const { facts } = snapshot;
          checkMigrations(facts.migrations, known);
          const header = headerOf(facts);
          const { bytes, rows } = await writeBackupFile({ file, header, snapshot, secrets, progress });
          return {
            json: { file, takenAt: header.takenAt, rows, bytes },
            text: `${rows} rows as of ${header.takenAt}, ${bytes} bytes: ${file}\nKeep it and APP_SECRET apart. It cannot be restored without APP_SECRET.`,
          };
        });
      }),
    );
}
