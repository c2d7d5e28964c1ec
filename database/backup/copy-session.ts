import type { Socket } from "node:net";
import pg from "pg";
import { pinSession } from "../pin-session";

const CONNECT_WITHIN_MS = 15_000;
const LOCK_WITHIN_MS = 10_000;

/** A COPY takes as long as it takes. */
const SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  lock_timeout: String(LOCK_WITHIN_MS),
};

/** SQL: a table and its columns, for COPY. */
export function copyTarget({ name, columns }: { name: string; columns: readonly string[] }): string {
  return `${pg.escapeIdentifier(name)} (${columns.map((column) => pg.escapeIdentifier(column)).join(", ")})`;
}

/**
 * Runs the work on a connection of its own, since a COPY takes a whole one, and closes it. A transaction that the work
 * has not committed is rolled back with it.
 */
export async function withCopySession<T>(
  databaseUrl: string,
  applicationName: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  client.on("error", () => undefined); // the statement under way reports it
  await client.connect();
  try {
    await pinSession(client);
    for (const [name, value] of Object.entries(SETTINGS))
      await client.query("SELECT set_config($1, $2, false)", [name, value]);
    const result = await work(client);
    await client.end();
    return result;
  } catch (error) {
    // Not `end`, which waits for the end of a COPY that nobody reads any more.
    (client.connection.stream as Socket).destroy();
    throw error;
  }
}
