import type { MigrationInterface, QueryRunner } from "typeorm";

/** Null, as for every invoice that exists: what was asked for is not known any more. */
export class RequestedPaymentMethods1766400000001 implements MigrationInterface {
  name = "RequestedPaymentMethods1766400000001";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "invoices" ADD "requested_methods" text array`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "invoices" DROP COLUMN "requested_methods"`);
  }
}
