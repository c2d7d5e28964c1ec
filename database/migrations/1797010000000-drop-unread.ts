import type { MigrationInterface, QueryRunner } from "typeorm";

/** The note of a mark stands in the invoice's history: nothing read this copy. No alert `store-growing` is raised any more. */
export class DropUnread1797010000000 implements MigrationInterface {
  name = "DropUnread1797010000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "invoices" DROP COLUMN "mark_note"`);
    await queryRunner.query(`DELETE FROM "alerts" WHERE "kind" = 'store-growing'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "invoices" ADD "mark_note" text`);
  }
}
