import type { MigrationInterface, QueryRunner } from "typeorm";

export class RefundPaid1796920000000 implements MigrationInterface {
  name = "RefundPaid1796920000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "reviews" ADD "refund_paid_sats" bigint array`);
    await queryRunner.query(
      `CREATE INDEX "reviews_refund_reference" ON "reviews" ("store_id", "refund_reference") WHERE refund_reference IS NOT NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "reviews_refund_reference"`);
    await queryRunner.query(`ALTER TABLE "reviews" DROP COLUMN "refund_paid_sats"`);
  }
}
