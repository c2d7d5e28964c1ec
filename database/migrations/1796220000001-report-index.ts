import type { MigrationInterface, QueryRunner } from "typeorm";

/** It has the prices too, so that reports add them up without reading the rows. */
export class ReportIndex1796220000001 implements MigrationInterface {
  name = "ReportIndex1796220000001";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "invoices_store_status"`);
    await queryRunner.query(
      `CREATE INDEX "invoices_store_status" ON "invoices" ("store_id", "status", "created_at", "id", "currency", "amount", "due_sats")`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "invoices_store_status"`);
    await queryRunner.query(
      `CREATE INDEX "invoices_store_status" ON "invoices" ("store_id", "status", "created_at", "id")`,
    );
  }
}
