import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { Log } from "../commands/ports";

const RETRY_FIRST_MS = 250;
const RETRY_LONGEST_MS = 10_000;
const ASK_EVERY_MS = 15_000;
const ANSWER_WITHIN_MS = 10_000;
const FAREWELL_MS = 1_000;

export interface Listener {
  onMessage(payload: string): void;
  /** Connected; earlier notifications are lost. */
  onHearing(): void;
}

export type Notifications = ReturnType<typeof makeNotifications>;

export interface NotificationOptions {
  databaseUrl: string;
  applicationName: string;
  channel: string;
  log: Log;
}

/**
 * A listening connection cannot return to a pool. Works through a session pooler; never throws because the database is
 * away.
 */
export function makeNotifications(options: NotificationOptions, listener: Listener) {
  const closing = new AbortController();
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    const { signal } = closing;
    for (let retryMs = RETRY_FIRST_MS; !signal.aborted; retryMs = Math.min(retryMs * 2, RETRY_LONGEST_MS)) {
      if (await listen(options, listener, signal)) retryMs = RETRY_FIRST_MS;
      await sleep(retryMs, undefined, { signal }).catch(() => undefined); // closed meanwhile
    }
  }

  return {
    /** From then on it is kept open. */
    open(): void {
      if (!closing.signal.aborted) running ??= run();
    },
    async close(): Promise<void> {
      closing.abort();
      await running;
    },
  };
}

/** Until it breaks or is stopped; returns whether it ever listened. */
async function listen(
  { databaseUrl, applicationName, channel, log }: NotificationOptions,
  listener: Listener,
  closing: AbortSignal,
): Promise<boolean> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: applicationName,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
    keepAlive: true,
  });
  let heard = false;
  let asking: NodeJS.Timeout | undefined;
  let end = (): void => undefined;
  const broken = new Promise<void>((resolve) => (end = resolve));
  client.on("error", end);
  client.on("end", end);
  closing.addEventListener("abort", end);
  client.on("notification", ({ payload = "" }) => listener.onMessage(payload));
  try {
    await Promise.race([client.connect(), broken.then(gone)]);
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    heard = true;
    listener.onHearing();
    const silent = new Promise<never>((_, reject) => {
      asking = setInterval(() => void client.query("SELECT 1").catch(reject), ASK_EVERY_MS);
    });
    await Promise.race([broken, silent]);
  } catch (error) {
    log.debug({ err: error }, "notifications: subscription failed, retrying");
  } finally {
    clearInterval(asking);
    closing.removeEventListener("abort", end);
    // After a host vanished it cannot be closed properly.
    await Promise.race([client.end().catch(() => undefined), sleep(FAREWELL_MS, undefined, { ref: false })]);
  }
  return heard;
}

function gone(): never {
  throw new Error("the connection is closed");
}
