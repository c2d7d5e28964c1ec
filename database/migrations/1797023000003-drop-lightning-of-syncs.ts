import type { MigrationInterface, QueryRunner } from "typeorm";

/** A Lightning node's row has them, and each payment method names its node. */
export class DropLightningOfSyncs1797023000003 implements MigrationInterface {
  name = "DropLightningOfSyncs1797023000003";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `UPDATE "store_payment_methods" SET "lightning_node_id" = 'lnd_server'
        WHERE "type" = 'BTC-LN' AND "lightning_node_id" IS NULL`,
    );
    await queryRunner.query(
      `ALTER TABLE "payment_method_syncs" DROP COLUMN "fault", DROP COLUMN "receivable_sats"`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "payment_method_syncs" ADD "fault" text, ADD "receivable_sats" bigint`,
    );
  }
}
