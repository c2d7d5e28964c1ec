import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../../scripts/embedded-postgres";

export interface ReplicatedPostgres {
  primary: EmbeddedPostgres;
  replica: EmbeddedPostgres;
  /** As an operator would: it answers on its port again, and streams on from where it was. */
  restartReplica(): Promise<void>;
  stop(): Promise<void>;
}

/** Temporary, and reachable for the user whom root hands Postgres to: then its data is where it is looked for. */
function makeDir(): string {
  const dir = mkdtempSync("/var/tmp/quittance-test-");
  spawnSync("chmod", ["755", dir]);
  return dir;
}

/** A Postgres of its own and a streaming replica of it: both real, made from one folder of data. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const [primaryDir, replicaDir] = [makeDir(), makeDir()];
  const settings = ["fsync=off", "wal_keep_size=256MB", "wal_receiver_status_interval=1s"];
  const empty = await startEmbeddedPostgres({ dir: primaryDir, settings });
  const { port, dataDir, adminUrl } = empty;
  await empty.stop();
  const copied = spawnSync("cp", ["-a", dataDir, path.join(primaryDir, "password"), replicaDir]);
  if (copied.status !== 0) throw new Error(`the data could not be copied: ${String(copied.stderr)}`);
  const { password } = new URL(adminUrl);
  appendFileSync(
    path.join(replicaDir, "data/postgresql.auto.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres password=${password}'\n`,
  );
  writeFileSync(path.join(replicaDir, "data/standby.signal"), "");
  const primary = await startEmbeddedPostgres({ dir: primaryDir, port, settings });
  const startReplica = (at?: number) =>
    startEmbeddedPostgres({ dir: replicaDir, settings, ...(at === undefined ? {} : { port: at }) });
  const replicated: ReplicatedPostgres = {
    primary,
    replica: await startReplica(),
    async restartReplica() {
      replicated.replica = await startReplica(replicated.replica.port);
    },
    async stop() {
      await replicated.replica.stop();
      await primary.stop();
      for (const dir of [primaryDir, replicaDir]) rmSync(dir, { recursive: true, force: true });
    },
  };
  return replicated;
}
