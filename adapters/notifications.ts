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
  let running: Promise<void> | null = null;
  let wake: () => void = () => undefined;
  let closed = false;

  async function run(): Promise<void> {
    for (let retryMs = RETRY_FIRST_MS; !closed; retryMs = Math.min(retryMs * 2, RETRY_LONGEST_MS)) {
      const heard = await listen(options, listener, (stop) => (wake = stop));
      if (heard) retryMs = RETRY_FIRST_MS;
      if (!closed)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, retryMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
    }
  }

  return {
    /** From then on it is kept open. */
    open(): void {
      if (!closed) running ??= run();
    },
    async close(): Promise<void> {
      closed = true;
      wake();
      await running;
    },
  };
}

/** Until it breaks or is stopped; returns whether it ever listened. */
async function listen(
  { databaseUrl, applicationName, channel, log }: NotificationOptions,
  listener: Listener,
  stoppable: (stop: () => void) => void,
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
  const broken = new Promise<void>((resolve) => {
    client.on("error", () => resolve());
    client.on("end", () => resolve());
    stoppable(resolve);
  });
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
    await Promise.race([client.end().catch(() => undefined), patience()]);
  }
  return heard;
}

function gone(): never {
  throw new Error("the connection is closed");
}

/** After a host vanished it cannot be closed properly. */
function patience(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref());
}
