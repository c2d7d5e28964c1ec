import type { MigrationInterface, QueryRunner } from "typeorm";

/** When a loss was noted, instead of that one was; and without a column that nothing reads. */
export class LossInstant1796200000000 implements MigrationInterface {
  name = "LossInstant1796200000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "payment_method_syncs" ADD "loss_at" TIMESTAMP WITH TIME ZONE`);
    await queryRunner.query(`UPDATE payment_method_syncs SET loss_at = checked_at WHERE loss_unchecked`);
    await queryRunner.query(`ALTER TABLE "payment_method_syncs" DROP COLUMN "loss_unchecked"`);
    await queryRunner.query(`ALTER TABLE "bolt11s" DROP COLUMN "looked_up_at"`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "bolt11s" ADD "looked_up_at" TIMESTAMP WITH TIME ZONE`);
    await queryRunner.query(
      `ALTER TABLE "payment_method_syncs" ADD "loss_unchecked" boolean NOT NULL DEFAULT false`,
    );
    await queryRunner.query(
      `UPDATE payment_method_syncs SET loss_unchecked = true WHERE loss_at IS NOT NULL`,
    );
    await queryRunner.query(`ALTER TABLE "payment_method_syncs" DROP COLUMN "loss_at"`);
  }
}
