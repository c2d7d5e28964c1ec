import { describeTables } from "../describe-tables";

/** A table of a backup, with the columns of each row in their order. */
export interface BackupTable {
  name: string;
  columns: readonly string[];
}

/**
 * Not backed up: what belongs to running processes, and what must not become valid again when it was used or ended
 * after the backup (logins and one-time links).
 */
export const LEFT_OUT: readonly string[] = [
  "heartbeats",
  "leases",
  "passkey_challenges",
  "rate_limits",
  "sessions",
  "user_links",
];

export function backupTables(): BackupTable[] {
  return describeTables()
    .filter(({ name }) => !LEFT_OUT.includes(name))
    .map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) }));
}
