import pg from "pg";

/** The service's notifications on Postgres's channel, as the dashboard gets them: without polling. */
export class Changes {
  private readonly heard = new Set<(change: Record<string, unknown>) => void>();

  private constructor(private readonly client: pg.Client) {}

  static async listen(databaseUrl: string): Promise<Changes> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const changes = new Changes(client);
    client.on("notification", ({ payload = "{}" }) => {
      const change = JSON.parse(payload) as Record<string, unknown>;
      for (const hear of changes.heard) hear(change);
    });
    await client.query("LISTEN quittance_changes");
    return changes;
  }

  /** Resolves at the first change that `isIt`. Begin to wait before it can come. */
  next(isIt: (change: Record<string, unknown>) => boolean, withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const hear = (change: Record<string, unknown>): void => {
        if (!isIt(change)) return;
        this.heard.delete(hear);
        clearTimeout(late);
        resolve();
      };
      const late = setTimeout(() => {
        this.heard.delete(hear);
        reject(new Error(`what was waited for was not told within ${withinMs / 1_000} s`));
      }, withinMs);
      this.heard.add(hear);
    });
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
