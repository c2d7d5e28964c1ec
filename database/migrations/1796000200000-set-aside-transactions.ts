import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Only transactions are set aside. Those of an invoice that could not leave an undone block take its place, and a block
 * becomes a hole, which `rescan` fills; an invoice that could not be decided is due.
 */
export class SetAsideTransactions1796000200000 implements MigrationInterface {
  name = "SetAsideTransactions1796000200000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `INSERT INTO "set_aside" ("kind", "subject", "height", "block_hash", "invoice_ids", "failures", "first_failed_at", "last_failed_at", "error", "version")
         SELECT DISTINCT ON (p."txid") 'transaction', p."txid", p."block_height", p."block_hash", ARRAY[p."invoice_id"], 1, s."first_failed_at", s."last_failed_at", s."error", s."version"
           FROM "set_aside" s JOIN "payments" p ON p."invoice_id" = s."subject"
          WHERE s."kind" = 'invoice' AND p."block_height" > (SELECT min("height") FROM "chain_blocks")
            AND NOT EXISTS (SELECT FROM "chain_blocks" b WHERE b."hash" = p."block_hash")
       ON CONFLICT DO NOTHING`,
    );
    await queryRunner.query(
      `UPDATE "alerts" SET "kind" = 'node-behind', "subject" = 'pruned ' || s."height" || '-' || s."height",
              "details" = jsonb_build_object('hole', jsonb_build_object('fromHeight', s."height", 'toHeight', s."height"))
         FROM "set_aside" s
        WHERE s."kind" = 'block' AND "alerts"."kind" = 'set-aside' AND "alerts"."subject" = 'block ' || s."subject"`,
    );
    await queryRunner.query(`UPDATE "chain_gaps" SET "kind" = 'pruned' WHERE "kind" = 'set-aside'`);
    await queryRunner.query(`DELETE FROM "set_aside" WHERE "kind" <> 'transaction'`);
    await queryRunner.query(
      `ALTER TABLE "set_aside" DROP COLUMN "kind", DROP COLUMN "failures", DROP COLUMN "first_failed_at", DROP COLUMN "set_aside_at", DROP COLUMN "version"`,
    );
    await queryRunner.query(`ALTER TABLE "set_aside" RENAME COLUMN "subject" TO "txid"`);
    await queryRunner.query(`ALTER TABLE "set_aside" RENAME COLUMN "last_failed_at" TO "failed_at"`);
    await queryRunner.query(`ALTER TABLE "set_aside" ADD CONSTRAINT "PK_set_aside" PRIMARY KEY ("txid")`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "set_aside" DROP CONSTRAINT "PK_set_aside"`);
    await queryRunner.query(`ALTER TABLE "set_aside" RENAME COLUMN "failed_at" TO "last_failed_at"`);
    await queryRunner.query(`ALTER TABLE "set_aside" RENAME COLUMN "txid" TO "subject"`);
    await queryRunner.query(
      `ALTER TABLE "set_aside" ADD "kind" text NOT NULL DEFAULT 'transaction', ADD "failures" integer NOT NULL DEFAULT 3, ADD "first_failed_at" timestamptz, ADD "set_aside_at" timestamptz, ADD "version" text NOT NULL DEFAULT ''`,
    );
    await queryRunner.query(
      `UPDATE "set_aside" SET "first_failed_at" = "last_failed_at", "set_aside_at" = "last_failed_at"`,
    );
    await queryRunner.query(
      `ALTER TABLE "set_aside" ALTER "kind" DROP DEFAULT, ALTER "failures" DROP DEFAULT, ALTER "version" DROP DEFAULT, ALTER "first_failed_at" SET NOT NULL, ADD CONSTRAINT "PK_set_aside" PRIMARY KEY ("kind", "subject")`,
    );
  }
}
