import type { MigrationInterface, QueryRunner } from "typeorm";

export class RefundAddress1764500000002 implements MigrationInterface {
  name = "RefundAddress1764500000002";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "invoices" ADD "refund_address" text, ADD "refund_address_at" TIMESTAMP WITH TIME ZONE`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "invoices" DROP COLUMN "refund_address_at", DROP COLUMN "refund_address"`,
    );
  }
}
