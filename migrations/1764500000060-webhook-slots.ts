import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * An endpoint's limit as a key: each of its requests in flight has a slot. Made beside the service's work, without a
 * lock on the table: outside a transaction, so every step may find what an attempt left half made.
 */
export class WebhookSlots1764500000060 implements MigrationInterface {
  name = "WebhookSlots1764500000060";
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "webhook_attempts" ADD COLUMN IF NOT EXISTS "slot" smallint`);
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
