import { randomBytes } from "node:crypto";
import { failed, ok, type Check } from "./check";
import type { Database } from "./database-checks";

const OTHERS = 2;

/**
 * A transaction pooler gives a session another server connection for each transaction. Two of its signs: two sessions
 * share one server process, or a session's process and settings change once others keep its former one busy.
 */
export async function poolerCheck(db: Database): Promise<Check> {
  const name = "database-pooler";
  const mark = randomBytes(8).toString("hex");
  const runners = Array.from({ length: OTHERS + 1 }, () => db.createQueryRunner());
  const [session, ...others] = runners;
  if (session === undefined) throw new Error("no connection");
  const state = async (runner: typeof session): Promise<string> => {
    const [row] = (await runner.query(
      "SELECT pg_backend_pid() || ' ' || coalesce(current_setting('quittance.mark', true), '') AS state",
    )) as { state: string }[];
    return row?.state ?? "";
  };
  try {
    await session.query("SELECT set_config('quittance.mark', $1, false)", [mark]);
    const before = await state(session);
    const shared: boolean[] = [];
    for (const other of others) {
      await other.startTransaction();
      shared.push((await state(other)) === before);
    }
    const after = await state(session);
    if (after === before && !shared.includes(true)) return ok(name, "Sessions keep their connection.");
    return failed(
      name,
      "DATABASE_URL goes through a transaction pooler: a session's state is lost between statements, and the queues and locks need it.",
      "Connect directly, or through a session pooler (PgBouncer: pool_mode = session; hosted Postgres: the direct or session port).",
    );
  } finally {
    for (const other of others) if (other.isTransactionActive) await other.rollbackTransaction();
    // A pooled connection goes back to others: leave nothing in it.
    await session.query("SELECT set_config('quittance.mark', '', false)").catch(() => undefined);
    await Promise.all(runners.map((runner) => runner.release()));
  }
}
