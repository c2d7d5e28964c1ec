import type { MigrationInterface, QueryRunner } from "typeorm";

export class CheckoutOrigins1764500000001 implements MigrationInterface {
  name = "CheckoutOrigins1764500000001";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "stores" ADD "checkout_origins" text array NOT NULL DEFAULT '{}'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "stores" DROP COLUMN "checkout_origins"`);
  }
}
