import type { MigrationInterface, QueryRunner } from "typeorm";

export class ReceiptMails1796700000000 implements MigrationInterface {
  name = "ReceiptMails1796700000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "receipt_mails" (
        "invoice_id" text NOT NULL,
        "store_id" text NOT NULL,
        "email" text,
        "language" text NOT NULL,
        "asks" smallint NOT NULL DEFAULT 1,
        "tries" smallint NOT NULL DEFAULT 0,
        "mailed_at" TIMESTAMP WITH TIME ZONE,
        "sent_at" TIMESTAMP WITH TIME ZONE,
        CONSTRAINT "receipt_mails_pkey" PRIMARY KEY ("invoice_id")
      )`,
    );
    await queryRunner.query(
      `CREATE INDEX "receipt_mails_waiting" ON "receipt_mails" ("mailed_at", "invoice_id") WHERE email IS NOT NULL`,
    );
    await queryRunner.query(
      `CREATE INDEX "receipt_mails_sent" ON "receipt_mails" ("sent_at", "store_id") WHERE sent_at IS NOT NULL`,
    );
    await queryRunner.query(`ALTER TABLE "stores" ADD "receipts_by_mail" boolean NOT NULL DEFAULT false`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "stores" DROP COLUMN "receipts_by_mail"`);
    await queryRunner.query(`DROP TABLE "receipt_mails"`);
  }
}
