/** A connection of `pg`. */
interface Session {
  query(text: string): Promise<unknown>;
}

/** How values are written and read, whatever the server, the database or the role has as its own. */
const FORMATS: Readonly<Record<string, string>> = {
  client_encoding: "UTF8",
  DateStyle: "ISO, YMD",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "3",
  standard_conforming_strings: "on",
};

const PIN = `SELECT ${Object.entries(FORMATS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(", ")}`;

/**
 * For a pool's `onConnect`: sets what the code depends on. Beside the formats, a commit of this session is acknowledged
 * when it is on the disk, also where the server, the role or the database says otherwise, since payments, addresses and
 * attempts take effect outside at once. What waits for a standby too is left as it is; a transaction that may be lost
 * says so itself (docs/adr/0021, 0039).
 */
export async function pinSession(client: Session): Promise<void> {
  await client.query(
    `${PIN}; SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')`,
  );
}
