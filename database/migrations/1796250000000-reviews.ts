import type { MigrationInterface, QueryRunner } from "typeorm";

const ASKED_AGAIN_DAYS = 30;

/**
 * What waits for a person's decision has a row, in place of an alert. Invoices that reached such a state in the last
 * thirty days are asked about; what is older was dealt with.
 */
export class Reviews1796250000000 implements MigrationInterface {
  name = "Reviews1796250000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "stores" ADD "time_zone" text NOT NULL DEFAULT 'UTC'`);
    await queryRunner.query(
      `CREATE TABLE "reviews" (
        "id" text NOT NULL,
        "store_id" text NOT NULL,
        "invoice_id" text NOT NULL,
        "reason" text NOT NULL,
        "received_sats" bigint NOT NULL,
        "last_paid_at" TIMESTAMP WITH TIME ZONE NOT NULL,
        "created_at" TIMESTAMP WITH TIME ZONE NOT NULL,
        "resolved_at" TIMESTAMP WITH TIME ZONE,
        "resolution" text,
        "note" text,
        "refund_type" text,
        "refund_reference" text,
        "refund_sats" bigint,
        "refund_state" text,
        "refund_to_address" boolean,
        "refund_checked_at" TIMESTAMP WITH TIME ZONE,
        PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(
      `CREATE UNIQUE INDEX "reviews_open_invoice" ON "reviews" ("invoice_id") WHERE resolved_at IS NULL`,
    );
    await queryRunner.query(`CREATE INDEX "reviews_invoice" ON "reviews" ("invoice_id")`);
    await queryRunner.query(
      `CREATE INDEX "reviews_open" ON "reviews" ("store_id", "created_at", "id") WHERE resolved_at IS NULL`,
    );
    await queryRunner.query(
      `CREATE INDEX "reviews_resolved" ON "reviews" ("store_id", "created_at", "id") WHERE resolved_at IS NOT NULL`,
    );
    await queryRunner.query(
      `CREATE INDEX "reviews_refunds" ON "reviews" ("store_id", "resolved_at", "id") WHERE refund_sats IS NOT NULL`,
    );
    await queryRunner.query(
      `INSERT INTO reviews (id, store_id, invoice_id, reason, received_sats, last_paid_at, created_at)
       SELECT 'rev_' || translate(left(md5(i.id), 24), '0', 'z'), i.store_id, i.id, asked.reason, i.paid_sats,
              paid.last_at, reached.at
         FROM invoices i
        CROSS JOIN LATERAL (SELECT CASE
            WHEN i.status = 'Settled' AND i.additional_status = 'PaidAfterExpiration' THEN 'paid-late'
            WHEN i.status = 'Settled' AND i.confirmed_sats > i.due_sats THEN 'overpaid'
            WHEN i.status = 'Expired' AND i.additional_status = 'Underpaid' THEN 'underpaid'
            WHEN i.status = 'Invalid' AND i.confirmed_sats > 0 THEN 'paid-invalid'
          END AS reason) AS asked
        CROSS JOIN LATERAL (
          SELECT max(first_seen_at) AS last_at FROM payments
           WHERE invoice_id = i.id AND state IN ('pending', 'confirmed') AND NOT below_dust) AS paid
        CROSS JOIN LATERAL (SELECT max(created_at) AS at FROM invoice_events WHERE invoice_id = i.id) AS reached
        WHERE i.paid_sats > 0 AND asked.reason IS NOT NULL AND paid.last_at IS NOT NULL
          AND reached.at > clock_timestamp() - interval '${ASKED_AGAIN_DAYS} days'`,
    );
    await queryRunner.query(
      `DELETE FROM alerts WHERE kind IN ('late-payment', 'part-payment', 'payment-to-invalid-invoice')`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "reviews"`);
    await queryRunner.query(`ALTER TABLE "stores" DROP COLUMN "time_zone"`);
  }
}
