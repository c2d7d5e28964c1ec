import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * By statistics of an hour in which nothing waited, the planner took this index for the next deliveries of one webhook, and
 * read all that waited anywhere. What is pending has an index by webhook, and what is being sent an attempt. Dropped while
 * apps write to the table, which no transaction can do; nobody waits behind it while it waits for older transactions.
 */
export class DropOpenDeliveriesIndex1795673319944 implements MigrationInterface {
  name = "DropOpenDeliveriesIndex1795673319944";
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("SET lock_timeout = 0");
    try {
      await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS "webhook_deliveries_open"`);
    } finally {
      await queryRunner.query("RESET lock_timeout");
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX "webhook_deliveries_open" ON "webhook_deliveries" ("state", "created_at")
        WHERE state IN ('pending', 'sending')`,
    );
  }
}
