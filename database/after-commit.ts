import {
  type EntityManager,
  EventSubscriber,
  type QueryRunner,
  type TransactionCommitEvent,
  type TransactionRollbackEvent,
} from "typeorm";

const waiting = new WeakMap<QueryRunner, (() => void)[]>();

/**
 * Never after a rollback; at once outside of a transaction. `then` must not throw, and is not called if the process
 * dies in between.
 */
export function afterCommit(manager: EntityManager, then: () => void): void {
  const { queryRunner } = manager;
  if (!queryRunner?.isTransactionActive) return then();
  const known = waiting.get(queryRunner);
  if (known === undefined) waiting.set(queryRunner, [then]);
  else known.push(then);
}

@EventSubscriber()
export class AfterCommitSubscriber {
  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    if (queryRunner.isTransactionActive) return; // this was a savepoint
    const calls = waiting.get(queryRunner) ?? [];
    waiting.delete(queryRunner);
    for (const call of calls) call();
  }

  afterTransactionRollback({ queryRunner }: TransactionRollbackEvent): void {
    if (!queryRunner.isTransactionActive) waiting.delete(queryRunner);
  }
}
