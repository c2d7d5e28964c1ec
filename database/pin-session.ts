interface Session {
  query(text: string): Promise<unknown>;
}

/** Whatever server, database or role have as their own. */
const SETTINGS: Readonly<Record<string, string>> = {
  client_encoding: "UTF8",
  DateStyle: "ISO, YMD",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "3",
  standard_conforming_strings: "on",
  // Otherwise a read behind a lock would not see what its former holder has committed.
  default_transaction_isolation: "read committed",
};

const PIN = `SELECT ${Object.entries(SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(", ")}`;

/**
 * For a pool's `onConnect`: formats, isolation, and a commit is acknowledged when it is on the disk, since its effects
 * outside come at once. Waiting for standbys is left as it is (docs/adr/0021, 0060).
 */
export async function pinSession(client: Session): Promise<void> {
  await client.query(
    `${PIN}; SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')`,
  );
}
