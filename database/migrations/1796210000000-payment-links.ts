import type { MigrationInterface, QueryRunner } from "typeorm";

/** Public pages that create invoices. An invoice keeps the id of its link, by which the open and paid ones are counted. */
export class PaymentLinks1796210000000 implements MigrationInterface {
  name = "PaymentLinks1796210000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "payment_links" (
        "id" text NOT NULL,
        "store_id" text NOT NULL,
        "description" text NOT NULL,
        "currency" text NOT NULL,
        "amounts" text array,
        "min_amount" text,
        "max_amount" text,
        "order_prefix" text NOT NULL,
        "redirect_url" text,
        "max_uses" integer,
        "max_per_day" integer NOT NULL,
        "ends_at" TIMESTAMP WITH TIME ZONE,
        "invoices_created" integer NOT NULL DEFAULT 0,
        "last_day" date,
        "created_that_day" integer NOT NULL DEFAULT 0,
        "archived_at" TIMESTAMP WITH TIME ZONE,
        "created_at" TIMESTAMP WITH TIME ZONE NOT NULL,
        CONSTRAINT "payment_links_pkey" PRIMARY KEY ("id")
      )`,
    );
    await queryRunner.query(
      `CREATE INDEX "payment_links_store" ON "payment_links" ("store_id", "created_at", "id")`,
    );
    await queryRunner.query(`ALTER TABLE "invoices" ADD "payment_link_id" text`);
    await queryRunner.query(
      `CREATE INDEX "invoices_link_uses" ON "invoices" ("payment_link_id")
        WHERE payment_link_id IS NOT NULL AND status NOT IN ('Expired', 'Invalid')`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "invoices_link_uses"`);
    await queryRunner.query(`ALTER TABLE "invoices" DROP COLUMN "payment_link_id"`);
    await queryRunner.query(`DROP TABLE "payment_links"`);
  }
}
