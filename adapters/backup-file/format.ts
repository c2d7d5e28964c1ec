import { z } from "zod";
import { NETWORKS } from "../../domain/network";

// A backup is gzip of UTF-8 text: the header, for each table its name and columns, its rows as COPY writes them and
// the line that ends them in pg_dump too, and the trailer. Header, tables and trailer are JSON, a line each
// (docs/adr/0065).

/** Behind a table's rows. COPY escapes backslashes, so no row is this. */
export const END_OF_ROWS = "\\.\n";

/** The file cannot be written, or must not be restored. The message says why, and what to do. */
export class BackupFileError extends Error {
  override readonly name = "BackupFileError";
}

export const headerSchema = z.object({
  quittanceBackup: z.literal(1, { error: "Backup of another format: use a newer version of Quittance." }),
  /** Of the service that took it. */
  version: z.string(),
  takenAt: z.iso.datetime(),
  network: z.enum(NETWORKS),
  /** The installation's check value: it fits one `APP_SECRET`, and says nothing else of it. */
  secretCheck: z.base64(),
  /** The first first. */
  migrations: z.array(z.string().regex(/^[A-Za-z]+\d+$/)).min(1),
  wallets: z.array(z.strictObject({ id: z.string(), nextIndex: z.int().nonnegative() })),
  /** The last block that was processed; null before the first. */
  chainHeight: z.int().nonnegative().nullable(),
});
export type BackupHeader = z.infer<typeof headerSchema>;

export const tableSchema = z.strictObject({ table: z.string(), columns: z.array(z.string()).min(1) });

export const trailerSchema = z.strictObject({
  rows: z.int().nonnegative(),
  /** Of all bytes before the trailer. */
  sha256: z.string(),
  /** Of the SHA-256, under `APP_SECRET`. */
  mac: z.base64(),
});

export const macFields = (sha256: string): string[] => ["backup", sha256];
