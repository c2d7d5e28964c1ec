import type { MigrationInterface, QueryRunner } from "typeorm";

export class IndexesForLargeTables1764100000000 implements MigrationInterface {
  name = "IndexesForLargeTables1764100000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX "invoice_events_kept" ON "invoice_events" ("created_at") WHERE body IS NOT NULL`,
    );
    await queryRunner.query(`CREATE INDEX "webhook_attempts_started" ON "webhook_attempts" ("started_at")`);
    await queryRunner.query(`CREATE INDEX "alerts_untold" ON "alerts" ("at") WHERE told_at IS NULL`);
    await queryRunner.query(
      `CREATE INDEX "payments_conflict" ON "payments" ("conflict_height") WHERE conflict_height IS NOT NULL`,
    );
    await queryRunner.query(
      `CREATE INDEX "invoices_store_status" ON "invoices" ("store_id", "status", "created_at", "id")`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "invoices_store_status"`);
    await queryRunner.query(`DROP INDEX "payments_conflict"`);
    await queryRunner.query(`DROP INDEX "alerts_untold"`);
    await queryRunner.query(`DROP INDEX "webhook_attempts_started"`);
    await queryRunner.query(`DROP INDEX "invoice_events_kept"`);
  }
}
