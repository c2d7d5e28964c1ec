/** A connection of `pg`. */
interface Session {
  query(text: string): Promise<unknown>;
}

/**
 * For a pool's `onConnect`: a commit of this session is acknowledged when it is on the disk, also where the server, the
 * role or the database says otherwise, since payments, addresses and attempts take effect outside at once. What waits
 * for a standby too is left as it is; a transaction that may be lost says so itself (docs/adr/0029, 0039).
 */
export async function waitForDisk(client: Session): Promise<void> {
  await client.query(
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')",
  );
}
