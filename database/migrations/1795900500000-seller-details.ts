import type { MigrationInterface, QueryRunner } from "typeorm";

/** What a store's receipts say about the seller; nothing until an owner writes it. */
export class SellerDetails1795900500000 implements MigrationInterface {
  name = "SellerDetails1795900500000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "stores" ADD "seller_details" text`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "stores" DROP COLUMN "seller_details"`);
  }
}
