import pg from "pg";

/**
 * The database's clock, simulated: a function of the same name in a schema that is searched before Postgres' own,
 * so that the service's statements are the same as in production. It stands still, except that each reading is a
 * millisecond later than the one before; a sequence keeps it, since sequences are not part of a transaction.
 */
const SIMULATE = `
  CREATE SCHEMA simulated;
  CREATE SEQUENCE simulated.milliseconds MINVALUE 0;
  CREATE FUNCTION simulated.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    $$ SELECT pg_catalog.to_timestamp(pg_catalog.nextval('simulated.milliseconds')::float8 / 1000) $$;
  SELECT setval('simulated.milliseconds', floor(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint);
  DO $$ DECLARE found record; BEGIN
    FOR found IN SELECT table_name, column_name FROM information_schema.columns
                  WHERE table_schema = 'public' AND column_default LIKE '%clock_timestamp()%' LOOP
      EXECUTE format('ALTER TABLE public.%I ALTER COLUMN %I SET DEFAULT simulated.clock_timestamp()',
                     found.table_name, found.column_name);
    END LOOP;
    EXECUTE format('ALTER DATABASE %I SET search_path = simulated, pg_catalog, public', current_database());
  END $$;`;

/** The clock of one database, which every process of a simulated world goes by, and the networks beside it. */
export class SimulatedClock {
  /** By which the database's clock is wrong. */
  private wrongMs = 0;

  private constructor(
    private readonly client: pg.Client,
    /** Milliseconds, as last read. */
    public nowMs: number,
  ) {}

  /** Takes over a database in which nobody is yet. */
  static async of(databaseUrl: string): Promise<SimulatedClock> {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: "simulated clock" });
    client.on("error", () => undefined); // the database may be dropped before it is closed
    await client.connect();
    await client.query(SIMULATE);
    const clock = new SimulatedClock(client, 0);
    await clock.read();
    return clock;
  }

  async read(): Promise<number> {
    const { rows } = await this.client.query<{ ms: string }>(
      "SELECT last_value AS ms FROM simulated.milliseconds",
    );
    return (this.nowMs = Number(rows[0]?.ms));
  }

  async advance(seconds: number): Promise<void> {
    const { rows } = await this.client.query<{ ms: string }>(
      "SELECT setval('simulated.milliseconds', last_value + $1) AS ms FROM simulated.milliseconds",
      [Math.round(seconds * 1_000)],
    );
    this.nowMs = Number(rows[0]?.ms);
  }

  /** By the networks, which do not see it when the database's clock is set. */
  get networkMs(): number {
    return this.nowMs - this.wrongMs;
  }

  /** The database's clock is set, forwards or backwards, and no time passes. */
  async set(seconds: number): Promise<void> {
    this.wrongMs += seconds * 1_000;
    await this.advance(seconds);
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
