import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * What may be sent is queued, and chosen by one statement from what is in flight. A retry that was requested and had not
 * begun waits for its time again, which is over.
 */
export class ReleaseDeliveries1796000400000 implements MigrationInterface {
  name = "ReleaseDeliveries1796000400000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "webhooks" ADD "host" text`);
    await queryRunner.query(
      `CREATE INDEX "webhook_deliveries_in_flight" ON "webhook_deliveries" ("webhook_id")
        WHERE state IN ('queued', 'sending')`,
    );
    await queryRunner.query(
      `UPDATE webhook_deliveries
          SET state = 'failed', requested_attempt = requested_attempt - 1, retry_count = retry_count - 1
        WHERE state = 'pending' AND retry_at IS NOT NULL`,
    );
    await queryRunner.query(`ALTER TABLE "webhook_attempts" DROP COLUMN "slot"`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "webhook_attempts" ADD "slot" smallint`);
    await queryRunner.query(
      `CREATE UNIQUE INDEX "webhook_attempts_slot" ON "webhook_attempts" ("webhook_id", "slot") WHERE state = 'sending'`,
    );
    await queryRunner.query(`UPDATE webhook_deliveries SET state = 'pending' WHERE state = 'queued'`);
    await queryRunner.query(`DROP INDEX "webhook_deliveries_in_flight"`);
    await queryRunner.query(`ALTER TABLE "webhooks" DROP COLUMN "host"`);
  }
}
