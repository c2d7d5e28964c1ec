import type { DataSource } from "typeorm";
import { createDataSource } from "../../database/data-source";
import { countRoundTrips } from "../../scripts/bench/count-round-trips";

/** How many round trips to Postgres `work` waits for, on one connection to the same database, when it runs again. */
export async function roundTripsOf(
  db: DataSource,
  work: (behind: DataSource) => Promise<unknown>,
): Promise<number> {
  const ends: (() => Promise<void> | void)[] = [];
  const { url = "" } = db.options as { url?: string };
  const counted = await countRoundTrips({ onEnd: (end) => void ends.push(end) }, url);
  const settings = { databaseUrl: counted.url, poolMax: 1, applicationName: "test" };
  const behind = await createDataSource(settings).initialize();
  await work(behind);
  const before = counted.count().roundTrips;
  await work(behind);
  const { roundTrips } = counted.count();
  await behind.destroy();
  for (const end of ends) await end();
  return roundTrips - before;
}
