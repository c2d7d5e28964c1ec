import type { DataSource, EntityManager, QueryRunner } from "typeorm";
import { statement } from "./statement";
import { inTime } from "./with-deadline";

type Answers<W extends readonly unknown[]> = { -readonly [K in keyof W]: Awaited<W[K]> };

/** After a failure all further statements of a transaction, and statements whose preparation was refused so. */
const FAILED_BEFORE: readonly unknown[] = ["25P02", "26000"];

/**
 * A round trip for statements that need none of the others' answers. Ends when all have: a rollback before would let
 * the rest run outside the transaction.
 * @throws the first one's error.
 */
export async function pipelined<W extends readonly Promise<unknown>[]>(...work: W): Promise<Answers<W>> {
  const settled = await Promise.allSettled(work);
  const errors = settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (errors.length > 0) throw errors.find((error) => !failedBefore(error)) ?? errors[0];
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as Answers<W>;
}

/** Outside of a transaction a manager takes a connection for each statement; here all share one, and its round trips. */
export async function onOneConnection<T>(
  db: DataSource,
  work: (manager: EntityManager, runner: QueryRunner) => Promise<T>,
): Promise<T> {
  const runner = db.createQueryRunner();
  try {
    return await work(runner.manager, runner);
  } finally {
    await runner.release();
  }
}

/** Kept, for what must not wait until the others have ended. After a failure, or without an answer, it is another. */
export class OwnConnection {
  #runner: QueryRunner | null = null;

  constructor(private readonly db: DataSource) {}

  async run<T>(work: (manager: EntityManager) => Promise<T>, withinMs?: number): Promise<T> {
    const runner = this.#runner?.isReleased === false ? this.#runner : this.db.createQueryRunner();
    this.#runner = runner;
    const working = work(runner.manager);
    try {
      return await inTime(working, withinMs);
    } catch (error) {
      if (this.#runner === runner) this.#runner = null;
      // Not before: who got it would wait for that answer too.
      void Promise.allSettled([working]).then(() => runner.release());
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#runner?.release();
  }
}

const begin = statement("database.begin", "START TRANSACTION", "each time");
const commit = statement("database.commit", "COMMIT", "each time");

/** Ends of savepoints that nobody waits for before the COMMIT: it is a ROLLBACK if one failed. */
const unanswered = new WeakMap<QueryRunner, Promise<unknown>[]>();

/** Begins in a round trip with the first statement of `work`: TypeORM's own would wait for its answer. */
export function transaction<T>(db: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  return onOneConnection(db, async (manager, runner) => {
    try {
      await runner.connect();
      Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 }); // as it does itself
      const ends: Promise<unknown>[] = [];
      unanswered.set(runner, ends);
      const [, result] = await pipelined(beginOrEnd(runner), work(manager));
      await pipelined(...ends, runner.commitTransaction());
      return result;
    } catch (error) {
      // Where this fails the connection is gone, of which `error` is the cause.
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    }
  });
}

/** Without it each statement would be committed by itself: nothing is sent any more. */
async function beginOrEnd(runner: QueryRunner): Promise<void> {
  try {
    await begin(runner.manager);
  } catch (error) {
    void ((await runner.connect()) as { end(): Promise<void> }).end();
    throw error;
  }
}

/**
 * All of a transaction in a round trip: after a failure its COMMIT is a ROLLBACK, and the error is thrown. Statements
 * that would do no harm without their begin.
 */
export async function transactionOf<const W extends readonly Promise<unknown>[]>(
  db: DataSource,
  work: (manager: EntityManager) => W,
): Promise<Answers<W>> {
  return onOneConnection(db, async (manager) => {
    const [, answers] = await pipelined(begin(manager), pipelined(...work(manager)), commit(manager));
    return answers;
  });
}

const beginSavepoint = statement("database.begin-savepoint", "SAVEPOINT step");
const endSavepoint = statement("database.end-savepoint", "RELEASE SAVEPOINT step");
const undoSavepoint = statement("database.undo-savepoint", "ROLLBACK TO SAVEPOINT step");

/**
 * Begins in a round trip with the first statement of `work`, and ends in one with what follows it in the `transaction`.
 * One within another has the same name and ends before it.
 */
export async function withSavepoint<T>(manager: EntityManager, work: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    [, result] = await pipelined(beginSavepoint(manager), work());
  } catch (error) {
    // Where this fails the transaction is gone, of which `error` is the cause.
    await pipelined(undoSavepoint(manager), endSavepoint(manager)).catch(() => undefined);
    throw error;
  }
  const ended = endSavepoint(manager);
  ended.catch(() => undefined); // asked for with the COMMIT
  if (manager.queryRunner) unanswered.get(manager.queryRunner)?.push(ended);
  return result;
}

function failedBefore(error: unknown): boolean {
  return error instanceof Error && "code" in error && FAILED_BEFORE.includes(error.code);
}
