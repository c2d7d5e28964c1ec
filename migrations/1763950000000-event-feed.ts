import type { MigrationInterface, QueryRunner } from "typeorm";

export class EventFeed1763950000000 implements MigrationInterface {
  name = "EventFeed1763950000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "invoice_events" ADD "feed_seq" bigint`);
    await queryRunner.query(
      `CREATE UNIQUE INDEX "invoice_events_feed" ON "invoice_events" ("store_id", "feed_seq") WHERE feed_seq IS NOT NULL`,
    );
    await queryRunner.query(
      `CREATE INDEX "invoice_events_unfed" ON "invoice_events" ("store_id", "seq") WHERE feed_seq IS NULL AND NOT test`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "invoice_events_unfed"`);
    await queryRunner.query(`DROP INDEX "invoice_events_feed"`);
    await queryRunner.query(`ALTER TABLE "invoice_events" DROP COLUMN "feed_seq"`);
  }
}
