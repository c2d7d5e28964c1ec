import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import type { z } from "zod";
import type { SecretsPort } from "../../commands/ports";
import type { TableRows } from "../../database/backup/load-tables";
import {
  BackupFileError,
  type BackupHeader,
  headerSchema,
  macFields,
  tableSchema,
  trailerSchema,
} from "./format";
import { LineScanner } from "./scan-lines";

/** A long line is put together from these. */
const CHUNK_BYTES = 1024 * 1024;
const TRAILER = /^\{"rows":/;
const ALTERED =
  "The backup is damaged or was altered: its contents do not match its checksum. Use another one.";

/** The header alone; nothing of it is proven yet. @throws BackupFileError */
export async function readBackupHeader(file: string): Promise<BackupHeader> {
  return reading(file, (scanner) => headerOf(scanner));
}

/**
 * Reads a backup as a whole and writes nothing. Returns the number of its rows.
 * @throws BackupFileError when it is truncated, damaged, or was altered by somebody without `APP_SECRET`.
 */
export async function verifyBackupFile(
  file: string,
  secrets: Pick<SecretsPort, "macMatches">,
): Promise<number> {
  let rows = 0;
  for await (const table of tablesOf(file, secrets, (count) => (rows = count)))
    for await (const _ of table.rows);
  return rows;
}

/** The tables with their rows. Its end proves all that was read; until then nothing of it may be kept. @throws BackupFileError */
export async function* tablesOf(
  file: string,
  secrets: Pick<SecretsPort, "macMatches">,
  ended: (rows: number) => void = () => undefined,
): AsyncGenerator<TableRows> {
  const { scanner, hash, close } = scan(file);
  try {
    await headerOf(scanner);
    for (;;) {
      const text = await scanner.line((line) => !TRAILER.test(line));
      if (TRAILER.test(text)) {
        ended(checkTrailer(text, hash, secrets));
        if (!(await scanner.isAtEnd())) throw new BackupFileError(ALTERED);
        return;
      }
      const { table: name, columns } = parsed(tableSchema, text);
      yield { name, columns, rows: translated(file, scanner.rows()) };
    }
  } catch (error) {
    throw translate(file, error);
  } finally {
    close();
  }
}

function checkTrailer(text: string, hash: Hash, secrets: Pick<SecretsPort, "macMatches">): number {
  const { rows, sha256, mac } = parsed(trailerSchema, text);
  if (hash.digest("hex") !== sha256 || !secrets.macMatches(Buffer.from(mac, "base64"), macFields(sha256)))
    throw new BackupFileError(ALTERED);
  return rows;
}

async function headerOf(scanner: LineScanner): Promise<BackupHeader> {
  return parsed(headerSchema, await scanner.line(() => true));
}

function parsed<T>(schema: z.ZodType<T>, text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BackupFileError("This is not a backup of Quittance, or it is damaged.");
  }
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw new BackupFileError(
    `This is not a backup that this version can read (${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}).`,
  );
}

interface Scan {
  scanner: LineScanner;
  hash: Hash;
  close(): void;
}

function scan(file: string): Scan {
  const source = createReadStream(file);
  const text = createGunzip({ chunkSize: CHUNK_BYTES });
  source.on("error", (error) => text.destroy(error));
  source.pipe(text);
  const hash = createHash("sha256");
  return {
    scanner: new LineScanner(text, hash),
    hash,
    close: () => {
      source.destroy();
      text.destroy();
    },
  };
}

async function reading<T>(file: string, read: (scanner: LineScanner) => Promise<T>): Promise<T> {
  const { scanner, close } = scan(file);
  try {
    return await read(scanner);
  } catch (error) {
    throw translate(file, error);
  } finally {
    close();
  }
}

async function* translated(file: string, rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* rows;
  } catch (error) {
    throw translate(file, error);
  }
}

function translate(file: string, error: unknown): unknown {
  if (error instanceof BackupFileError || !(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "Z_BUF_ERROR")
    return new BackupFileError("The backup is truncated: its end is missing.");
  if (String(error.code).startsWith("Z_"))
    return new BackupFileError("This is not a backup of Quittance, or it is damaged.", { cause: error });
  return new BackupFileError(`${file} cannot be read: ${error.message}.`, { cause: error });
}
