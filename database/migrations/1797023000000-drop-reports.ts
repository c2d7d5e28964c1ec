import type { MigrationInterface, QueryRunner } from "typeorm";

/** Blocks are compared where they are read again, and differences are alerts. */
export class DropReports1797023000000 implements MigrationInterface {
  name = "DropReports1797023000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "reconciliation_reports"`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "reconciliation_reports" (
        "id" text NOT NULL,
        "at" timestamptz NOT NULL,
        "from_height" integer NOT NULL,
        "to_height" integer NOT NULL,
        "checked_payments" integer NOT NULL,
        "differences" jsonb NOT NULL,
        CONSTRAINT "PK_reconciliation_reports" PRIMARY KEY ("id")
      )`,
    );
    await queryRunner.query(`CREATE INDEX "reconciliation_reports_at" ON "reconciliation_reports" ("at")`);
  }
}
