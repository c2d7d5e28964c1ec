import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * An endpoint's limit as a key: each of its requests in flight has a slot. Made beside the service's work, outside a
 * transaction, so every step may find what an attempt left half made. Only the new column locks the table, for an
 * instant.
 */
export class WebhookSlots1764500000060 implements MigrationInterface {
  name = "WebhookSlots1764500000060";
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumn(queryRunner);
    await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS "webhook_attempts_slot"`);
    await queryRunner.query(
      `CREATE UNIQUE INDEX CONCURRENTLY "webhook_attempts_slot" ON "webhook_attempts" ("webhook_id", "slot") WHERE state = 'sending'`,
    );
    // The new one begins with the webhook as well.
    await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS "webhook_attempts_sending"`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX "webhook_attempts_sending" ON "webhook_attempts" ("webhook_id", "started_at") WHERE state = 'sending'`,
    );
    await queryRunner.query(`ALTER TABLE "webhook_attempts" DROP COLUMN "slot"`);
  }
}

const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Behind a reader that takes long (a dump) the lock would be waited for, and all that reads or writes the table behind
 * it: so it is asked for shortly, and again after a pause, until the reader has ended.
 */
async function addColumn(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`SET lock_timeout = '2s'`);
  try {
    while (!(await columnAdded(queryRunner))) await queryRunner.query("SELECT pg_sleep(3)");
  } finally {
    await queryRunner.query("RESET lock_timeout");
  }
}

async function columnAdded(queryRunner: QueryRunner): Promise<boolean> {
  try {
    await queryRunner.query(`ALTER TABLE "webhook_attempts" ADD COLUMN IF NOT EXISTS "slot" smallint`);
    return true;
  } catch (error) {
    const { code } = (error as { driverError?: { code?: string } }).driverError ?? {};
    if (code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
