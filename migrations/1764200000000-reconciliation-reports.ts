import type { MigrationInterface, QueryRunner } from "typeorm";

export class ReconciliationReports1764200000000 implements MigrationInterface {
  name = "ReconciliationReports1764200000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "reconciliation_reports" (
         "id" text NOT NULL,
         "at" TIMESTAMP WITH TIME ZONE NOT NULL,
         "from_height" integer NOT NULL,
         "to_height" integer NOT NULL,
         "checked_payments" integer NOT NULL,
         "differences" jsonb NOT NULL,
         CONSTRAINT "PK_reconciliation_reports" PRIMARY KEY ("id")
       )`,
    );
    await queryRunner.query(`CREATE INDEX "reconciliation_reports_at" ON "reconciliation_reports" ("at")`);
    await queryRunner.query(
      `CREATE INDEX "payments_height" ON "payments" ("block_height") WHERE block_height IS NOT NULL`,
    );
    await queryRunner.query(
      `CREATE INDEX "alerts_ended" ON "alerts" ("resolved_at") WHERE resolved_at IS NOT NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "alerts_ended"`);
    await queryRunner.query(`DROP INDEX "payments_height"`);
    await queryRunner.query(`DROP TABLE "reconciliation_reports"`);
  }
}
