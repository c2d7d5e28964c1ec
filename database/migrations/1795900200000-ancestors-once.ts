import type { MigrationInterface, QueryRunner } from "typeorm";

/** An ancestor's bytes are kept once, however many payments depend on it. */
export class AncestorsOnce1795900200000 implements MigrationInterface {
  name = "AncestorsOnce1795900200000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `INSERT INTO "payment_transactions" ("txid", "raw_tx")
         SELECT DISTINCT ON ("ancestor_txid") "ancestor_txid", "raw_tx" FROM "payment_ancestors"
       ON CONFLICT DO NOTHING`,
    );
    await queryRunner.query(`DROP TABLE "payment_ancestors"`);
    await queryRunner.query(
      `CREATE INDEX "payment_inputs_ancestor" ON "payment_inputs" ("ancestor_txid") WHERE ancestor_txid IS NOT NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "payment_inputs_ancestor"`);
    await queryRunner.query(
      `CREATE TABLE "payment_ancestors" ("txid" text NOT NULL, "ancestor_txid" text NOT NULL, "raw_tx" bytea NOT NULL, CONSTRAINT "payment_ancestors_pkey" PRIMARY KEY ("txid", "ancestor_txid"))`,
    );
    await queryRunner.query(
      `INSERT INTO "payment_ancestors" ("txid", "ancestor_txid", "raw_tx")
         SELECT DISTINCT input."txid", kept."txid", kept."raw_tx"
           FROM "payment_inputs" input JOIN "payment_transactions" kept ON kept."txid" = input."ancestor_txid"`,
    );
  }
}
