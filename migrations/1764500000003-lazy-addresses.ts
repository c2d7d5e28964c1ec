import type { MigrationInterface, QueryRunner } from "typeorm";

export class LazyAddresses1764500000003 implements MigrationInterface {
  name = "LazyAddresses1764500000003";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "stores" ADD "lazy_addresses" boolean NOT NULL DEFAULT false`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "stores" DROP COLUMN "lazy_addresses"`);
  }
}
