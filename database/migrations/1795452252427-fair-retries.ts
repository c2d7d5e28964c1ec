import type { MigrationInterface, QueryRunner } from "typeorm";

/** Nobody waits behind it while it waits for the end of older transactions. */
async function concurrently(queryRunner: QueryRunner, sql: string): Promise<void> {
  await queryRunner.query("SET lock_timeout = 0");
  try {
    await queryRunner.query(sql);
  } finally {
    await queryRunner.query("RESET lock_timeout");
  }
}

/**
 * What waits for a retry is found webhook by webhook. The table is large, so the index is built while apps write to it,
 * which no transaction can do. A migration that was interrupted is run again from its beginning.
 */
export class FairRetries1795452252427 implements MigrationInterface {
  name = "FairRetries1795452252427";
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await concurrently(queryRunner, `DROP INDEX CONCURRENTLY IF EXISTS "webhook_deliveries_due_retry"`);
    await concurrently(
      queryRunner,
      `CREATE INDEX CONCURRENTLY "webhook_deliveries_due_retry" ON "webhook_deliveries" ("webhook_id", "retry_at")
        WHERE state = 'failed' AND retry_at IS NOT NULL`,
    );
    await concurrently(queryRunner, `DROP INDEX CONCURRENTLY IF EXISTS "webhook_deliveries_retry"`);
  }

  /** An undo is one transaction, so one that was interrupted has changed nothing. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "webhook_deliveries_due_retry"`);
    await queryRunner.query(
      `CREATE INDEX "webhook_deliveries_retry" ON "webhook_deliveries" ("retry_at")
        WHERE state = 'failed' AND retry_at IS NOT NULL`,
    );
  }
}
