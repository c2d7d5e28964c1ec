import type { MigrationInterface, QueryRunner } from "typeorm";

/** The bytes of the ancestors of payments that are pending already are not known: these stay pending for longer. */
export class PaymentAncestors1795831200000 implements MigrationInterface {
  name = "PaymentAncestors1795831200000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "payment_ancestors" ("txid" text NOT NULL, "ancestor_txid" text NOT NULL, "raw_tx" bytea NOT NULL, CONSTRAINT "payment_ancestors_pkey" PRIMARY KEY ("txid", "ancestor_txid"))`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "payment_ancestors"`);
  }
}
