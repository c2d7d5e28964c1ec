import type { MigrationInterface, QueryRunner } from "typeorm";

/** A payment's store is its invoice's, and every payment has an invoice, unless somebody deleted that by hand. */
export class PaymentsStore1766200000000 implements MigrationInterface {
  name = "PaymentsStore1766200000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `UPDATE "payments" SET "store_id" = "invoices"."store_id" FROM "invoices"
        WHERE "payments"."store_id" IS NULL AND "invoices"."id" = "payments"."invoice_id"`,
    );
    const [left] = (await queryRunner.query(
      `SELECT "id", "invoice_id" AS "invoiceId", count(*) OVER ()::int AS count FROM "payments"
        WHERE "store_id" IS NULL ORDER BY "id" LIMIT 1`,
    )) as { id: string; invoiceId: string; count: number }[];
    if (left !== undefined)
      throw new Error(
        `Payments whose invoices are not in the database: ${left.count}, the first is ${left.id} of invoice ${left.invoiceId}. Nothing was changed. Restore the invoices from a backup, or set store_id of these payments by hand, then run migrate again.`,
      );
    await queryRunner.query(`ALTER TABLE "payments" ALTER COLUMN "store_id" SET NOT NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "payments" ALTER COLUMN "store_id" DROP NOT NULL`);
  }
}
