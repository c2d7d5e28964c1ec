import { randomBytes } from "node:crypto";
import { markSession, readSession } from "../../../database/session-state";
import { DeadlineError, withDeadline } from "../../../database/with-deadline";
import { failed, ok, type Database, type Finding } from "./check";

type Runner = ReturnType<Database["createQueryRunner"]>;

const OTHERS = 2;
/** A pooler that has lent out all its connections lets a session wait; a server does not. */
const DEADLINE_MS = 2_000;

/** Null for work that waits; its result is fetched again later. */
function orNull<T>(work: Promise<T>): Promise<T | null> {
  return withDeadline(DEADLINE_MS, () => work).catch((error: unknown) => {
    if (error instanceof DeadlineError) return null;
    throw error;
  });
}

/**
 * A transaction pooler gives a session another server connection for each transaction. Its signs: two sessions share
 * one server process, a session's process or settings change once others keep its former one busy, or a session has to
 * wait for the others.
 */
export async function poolerCheck(db: Database): Promise<Finding> {
  const runners = Array.from({ length: OTHERS + 1 }, () => db.createQueryRunner());
  try {
    if (await sessionsKeepTheirConnection(runners)) return ok("Sessions keep their connection.");
  } finally {
    await Promise.all(runners.map((runner) => runner.release()));
  }
  return failed(
    "DATABASE_URL goes through a transaction pooler: session state is lost between statements, and the queues and locks need it.",
    "Connect directly, or through a session pooler (PgBouncer: pool_mode = session; hosted Postgres: the direct or session port).",
  );
}

async function sessionsKeepTheirConnection([session, ...others]: readonly Runner[]): Promise<boolean> {
  if (session === undefined) throw new Error("no connection");
  const mark = randomBytes(8).toString("hex");
  const inTransaction = async (runner: Runner): Promise<string> => {
    await runner.startTransaction();
    return readSession(runner);
  };
  await markSession(session, mark);
  const before = await readSession(session);
  const asked: Promise<string>[] = [];
  const seen: (string | null)[] = [];
  for (const other of others) {
    const work = inTransaction(other);
    asked.push(work);
    seen.push(await orNull(work));
  }
  const again = readSession(session);
  const after = await orNull(again);
  // Each end starts a waiting one. A pooled connection goes back to others: nothing stays in it.
  for (const [index, other] of others.entries()) {
    await orNull(asked[index] ?? again);
    await orNull(other.rollbackTransaction());
  }
  await orNull(again);
  await orNull(markSession(session, null));
  return after === before && !seen.includes(before) && !seen.includes(null);
}
