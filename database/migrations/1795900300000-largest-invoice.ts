import type { MigrationInterface, QueryRunner } from "typeorm";

/** Null, as for every store that exists: no limit but that of all bitcoin. */
export class LargestInvoice1795900300000 implements MigrationInterface {
  name = "LargestInvoice1795900300000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "stores" ADD "max_invoice_sats" bigint`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "stores" DROP COLUMN "max_invoice_sats"`);
  }
}
