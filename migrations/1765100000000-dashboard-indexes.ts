import type { MigrationInterface, QueryRunner } from "typeorm";

export class DashboardIndexes1765100000000 implements MigrationInterface {
  name = "DashboardIndexes1765100000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "payments" ADD "store_id" text`);
    await queryRunner.query(
      `UPDATE "payments" SET "store_id" = "invoices"."store_id" FROM "invoices" WHERE "invoices"."id" = "payments"."invoice_id"`,
    );
    await queryRunner.query(
      `CREATE INDEX "payments_received" ON "payments" ("store_id", "confirmed_at", "type", "amount_sats", "below_dust") WHERE state = 'confirmed'`,
    );
    await queryRunner.query(
      `CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries" ("webhook_id", "created_at", "id") WHERE state = 'failed'`,
    );
    await queryRunner.query(
      `CREATE INDEX "alerts_open_store" ON "alerts" ("store_id", "at") WHERE resolved_at IS NULL`,
    );
    await queryRunner.query(`CREATE INDEX "alerts_at" ON "alerts" ("at", "id")`);
    await queryRunner.query(`CREATE INDEX "audit_log_at" ON "audit_log" ("at", "id")`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const index of [
      "audit_log_at",
      "alerts_at",
      "alerts_open_store",
      "webhook_deliveries_failed",
      "payments_received",
    ])
      await queryRunner.query(`DROP INDEX "${index}"`);
    await queryRunner.query(`ALTER TABLE "payments" DROP COLUMN "store_id"`);
  }
}
