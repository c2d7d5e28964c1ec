import type { MigrationInterface, QueryRunner } from "typeorm";

export class Lightning1764400000000 implements MigrationInterface {
  name = "Lightning1764400000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "bolt11s" (
         "payment_hash" text NOT NULL,
         "invoice_id" text NOT NULL,
         "preimage" bytea NOT NULL,
         "amount_sats" bigint NOT NULL,
         "state" text NOT NULL DEFAULT 'wanted',
         "bolt11" text,
         "node_key" text,
         "cancel_wanted" boolean NOT NULL DEFAULT false,
         "created_at" TIMESTAMP WITH TIME ZONE NOT NULL,
         "expires_at" TIMESTAMP WITH TIME ZONE NOT NULL,
         "looked_up_at" TIMESTAMP WITH TIME ZONE,
         CONSTRAINT "bolt11s_pkey" PRIMARY KEY ("payment_hash"))`,
    );
    await queryRunner.query(`CREATE INDEX "bolt11s_invoice" ON "bolt11s" ("invoice_id")`);
    await queryRunner.query(
      `CREATE INDEX "bolt11s_unfinished" ON "bolt11s" ("expires_at") WHERE state IN ('wanted', 'open')`,
    );
    await queryRunner.query(
      `CREATE TABLE "lightning_cursors" (
         "node_key" text NOT NULL,
         "settle_index" bigint NOT NULL,
         "hole_since" TIMESTAMP WITH TIME ZONE,
         CONSTRAINT "lightning_cursors_pkey" PRIMARY KEY ("node_key"))`,
    );
    await queryRunner.query(`ALTER TABLE "rails" ADD "receivable_sats" bigint`);
    await queryRunner.query(`ALTER TABLE "stores" ADD "private_route_hints" boolean NOT NULL DEFAULT false`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "stores" DROP COLUMN "private_route_hints"`);
    await queryRunner.query(`ALTER TABLE "rails" DROP COLUMN "receivable_sats"`);
    await queryRunner.query(`DROP TABLE "lightning_cursors"`);
    await queryRunner.query(`DROP TABLE "bolt11s"`);
  }
}
