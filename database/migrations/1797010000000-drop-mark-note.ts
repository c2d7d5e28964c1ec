import type { MigrationInterface, QueryRunner } from "typeorm";

/** The note of a mark stands in the invoice's history: nothing read this copy. */
export class DropMarkNote1797010000000 implements MigrationInterface {
  name = "DropMarkNote1797010000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "invoices" DROP COLUMN "mark_note"`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "invoices" ADD "mark_note" text`);
  }
}
