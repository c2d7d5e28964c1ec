import type { MigrationInterface, QueryRunner } from "typeorm";

/** What was the one LND is the row `lnd_server`, and everything that is about a node names its row. */
export class LightningNodes1796100000000 implements MigrationInterface {
  name = "LightningNodes1796100000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "lightning_nodes" (
        "id" text NOT NULL,
        "store_id" text,
        "name" text NOT NULL,
        "address" text,
        "tls_certificate" text,
        "macaroon" bytea,
        "node_key" text,
        "other_key" text,
        "network" text,
        "state" text NOT NULL DEFAULT 'active',
        "mac" bytea,
        "created_at" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "retired_at" TIMESTAMP WITH TIME ZONE,
        "caught_up_to" TIMESTAMP WITH TIME ZONE,
        "checked_at" TIMESTAMP WITH TIME ZONE,
        "synchronized" boolean NOT NULL DEFAULT false,
        "problem" text,
        "fault" text,
        "receivable_sats" bigint,
        CONSTRAINT "lightning_nodes_pkey" PRIMARY KEY ("id")
      )`,
    );
    await queryRunner.query(`CREATE INDEX "lightning_nodes_store" ON "lightning_nodes" ("store_id")`);
    await queryRunner.query(`INSERT INTO lightning_nodes (id, name) VALUES ('lnd_server', 'LND')`);
    await queryRunner.query(
      `UPDATE lightning_nodes SET caught_up_to = sync.caught_up_to, checked_at = sync.checked_at,
              synchronized = sync.synchronized, problem = sync.problem, fault = sync.fault,
              receivable_sats = sync.receivable_sats
         FROM payment_method_syncs sync WHERE sync.type = 'BTC-LN'`,
    );
    await queryRunner.query(`DELETE FROM payment_method_syncs WHERE type = 'BTC-LN'`);
    await queryRunner.query(`ALTER TABLE "bolt11s" ADD "node_id" text NOT NULL DEFAULT 'lnd_server'`);
    await queryRunner.query(`DROP INDEX "bolt11s_unfinished"`);
    await queryRunner.query(
      `CREATE INDEX "bolt11s_unfinished" ON "bolt11s" ("node_id", "expires_at") WHERE state IN ('wanted', 'open')`,
    );
    await queryRunner.query(
      `ALTER TABLE "lightning_cursors" ADD "node_id" text NOT NULL DEFAULT 'lnd_server',
        DROP CONSTRAINT "lightning_cursors_pkey"`,
    );
    await queryRunner.query(
      `ALTER TABLE "lightning_cursors" ALTER "node_id" DROP DEFAULT,
        ADD CONSTRAINT "lightning_cursors_pkey" PRIMARY KEY ("node_id", "node_key")`,
    );
    await queryRunner.query(`ALTER TABLE "store_payment_methods" ADD "lightning_node_id" text`);
    await queryRunner.query(
      `UPDATE store_payment_methods SET lightning_node_id = 'lnd_server' WHERE type = 'BTC-LN'`,
    );
  }

  /** Only the server's node is left: what the others' stores may still be paid is not seen any more. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `DELETE FROM store_payment_methods WHERE type = 'BTC-LN' AND lightning_node_id <> 'lnd_server'`,
    );
    await queryRunner.query(`ALTER TABLE "store_payment_methods" DROP COLUMN "lightning_node_id"`);
    await queryRunner.query(`DELETE FROM lightning_cursors WHERE node_id <> 'lnd_server'`);
    await queryRunner.query(`ALTER TABLE "lightning_cursors" DROP COLUMN "node_id"`);
    await queryRunner.query(
      `ALTER TABLE "lightning_cursors" ADD CONSTRAINT "lightning_cursors_pkey" PRIMARY KEY ("node_key")`,
    );
    await queryRunner.query(`DROP INDEX "bolt11s_unfinished"`);
    await queryRunner.query(`ALTER TABLE "bolt11s" DROP COLUMN "node_id"`);
    await queryRunner.query(
      `CREATE INDEX "bolt11s_unfinished" ON "bolt11s" ("expires_at") WHERE state IN ('wanted', 'open')`,
    );
    await queryRunner.query(
      `INSERT INTO payment_method_syncs (type, caught_up_to, checked_at, synchronized, problem, fault, receivable_sats)
       SELECT 'BTC-LN', caught_up_to, checked_at, synchronized, problem, fault, receivable_sats
         FROM lightning_nodes WHERE id = 'lnd_server' AND checked_at IS NOT NULL
       ON CONFLICT (type) DO NOTHING`,
    );
    await queryRunner.query(`DROP TABLE "lightning_nodes"`);
  }
}
