import path from "node:path";
import type { Command } from "commander";
import { type BackupFacts, writeBackup } from "../../adapters/backup/backup-file";
import { checkTool, dump } from "../../adapters/backup/postgres-tools";
import { makeSecretBox } from "../../adapters/crypto";
import { DatabaseRefusedError } from "../../adapters/database";
import { readVersion } from "../../adapters/version";
import { type SnapshotFacts, withSnapshot } from "../../database/backup";
import { readServerFacts } from "../../database/server-facts";
import { configFor, withContext } from "./context";
import { answering, type Answer, type Terminal } from "./terminal";

const factsOf = ({ takenAt, secretCheck, network, ...facts }: SnapshotFacts): BackupFacts => ({
  quittanceBackup: 1,
  version: readVersion(),
  takenAt: takenAt.toISOString(),
  network: network as BackupFacts["network"],
  secretCheck: secretCheck.toString("base64"),
  ...facts,
});

/** A table that this version does not know would not be locked. @throws DatabaseRefusedError */
function checkMigrations(applied: readonly string[], known: readonly string[]): void {
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new DatabaseRefusedError(
      `The database is newer than this version: it has ${unknown.join(", ")}. Run backup with the version that migrated it.`,
    );
}

async function backup(terminal: Terminal, to: string): Promise<Answer> {
  const { DATABASE_URL: databaseUrl, ...config } = configFor(terminal, ["APP_SECRET"]);
  const file = path.resolve(to);
  const secrets = makeSecretBox({ appSecret: config.APP_SECRET, appSecretOld: config.APP_SECRET_OLD });
  const run = { databaseUrl, applicationName: "quittance backup", env: terminal.env };
  return withContext(
    terminal,
    ["APP_SECRET"],
    async ({ db }) => {
      await checkTool("pg_dump", (await readServerFacts(db.manager)).major, terminal.env);
      return withSnapshot(db, async ({ facts, id, schema }) => {
        checkMigrations(
          facts.migrations,
          db.migrations.map(({ name }) => name ?? ""),
        );
        const bytes = await writeBackup(file, factsOf(facts), secrets, (partial) =>
          dump({ ...run, file: partial, schema, snapshot: id }),
        );
        const takenAt = facts.takenAt.toISOString();
        return {
          json: { file, takenAt, bytes },
          text: `As of ${takenAt}, ${bytes} bytes: ${file}\nKeep ${path.basename(file)}.json beside it, and APP_SECRET apart. It cannot be restored without either.`,
        };
      });
    },
    { applicationName: "quittance backup", unlimited: true },
  );
}

export function addBackupCommand(cli: Command, terminal: Terminal): void {
  cli
    .command("backup")
    .description(
      "back up the database with pg_dump, beside the running apps; FILE.json beside the file says what it is of; APP_SECRET is in neither",
    )
    .requiredOption("--to <file>", "a new file")
    .action(answering(terminal, ({ to }: { to: string }) => backup(terminal, to)));
}
