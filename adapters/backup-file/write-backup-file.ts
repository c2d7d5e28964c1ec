import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { access, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { SecretsPort } from "../../commands/ports";
import type { Snapshot } from "../../database/backup/dump-tables";
import { BackupFileError, type BackupHeader, END_OF_ROWS, macFields } from "./format";

const PROGRESS_ROWS = 1_000_000;
const OF_FILES = /^(E(ACCES|PERM|NOENT|NOTDIR|ISDIR|EXIST|NOSPC|DQUOT|FBIG|ROFS|IO|NAMETOOLONG|MFILE))$/;

export interface BackupRequest {
  file: string;
  header: BackupHeader;
  snapshot: Pick<Snapshot, "tables" | "rowsOf">;
  secrets: Pick<SecretsPort, "mac">;
  /** Called with the rows of a table that were read, after it and in between. */
  progress: (table: string, rows: number) => void;
}

/**
 * Writes a backup, readable for its owner only. It has its name once it is complete and on the disk: what a crash leaves
 * has another one. An existing file is never replaced.
 * @throws BackupFileError
 */
export async function writeBackupFile(request: BackupRequest): Promise<{ bytes: number; rows: number }> {
  const { file } = request;
  if (await exists(file))
    throw new BackupFileError(`${file} exists already. Name another file, or remove this one first.`);
  const partial = `${file}.${randomBytes(4).toString("hex")}.partial`;
  try {
    const rows = await named(file, writeAll(partial, request));
    await named(file, rename(partial, file));
    await named(file, syncFolder(path.dirname(file)));
    return { bytes: (await stat(file)).size, rows };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Names the file in the errors of the file system. */
async function named<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && OF_FILES.test(String(error.code)))
      throw new BackupFileError(`${file} cannot be written: ${error.message}.`, { cause: error });
    throw error;
  }
}

/** Returns the number of rows, once the file is on the disk. */
async function writeAll(file: string, request: BackupRequest): Promise<number> {
  let rows = 0;
  const text = contentOf(request, (count) => (rows = count));
  await pipeline(text, createGzip(), createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }));
  return rows;
}

async function* contentOf(
  { header, snapshot, secrets, progress }: BackupRequest,
  ended: (rows: number) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  const hashed = (bytes: Buffer | string): Buffer => {
    const buffer = Buffer.from(bytes);
    hash.update(buffer);
    return buffer;
  };
  yield hashed(`${JSON.stringify(header)}\n`);
  let total = 0;
  for (const table of snapshot.tables) {
    yield hashed(`${JSON.stringify({ table: table.name, columns: table.columns })}\n`);
    let rows = 0;
    for await (const chunk of snapshot.rowsOf(table)) {
      const before = rows;
      rows += lineEnds(chunk);
      if (Math.floor(rows / PROGRESS_ROWS) > Math.floor(before / PROGRESS_ROWS)) progress(table.name, rows);
      yield hashed(chunk);
    }
    yield hashed(END_OF_ROWS);
    if (rows > 0) progress(table.name, rows);
    total += rows;
  }
  const sha256 = hash.digest("hex");
  const mac = secrets.mac(macFields(sha256)).toString("base64");
  yield Buffer.from(`${JSON.stringify({ rows: total, sha256, mac })}\n`);
  ended(total);
}

/** COPY ends a row with a line end, and escapes those in values. */
function lineEnds(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The new name is lost in a crash until its folder is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
