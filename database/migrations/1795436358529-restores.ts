import type { MigrationInterface, QueryRunner } from "typeorm";

/** The restores of a database from a backup. */
export class Restores1795436358529 implements MigrationInterface {
  name = "Restores1795436358529";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "restores" (
         "id" text NOT NULL,
         "taken_at" timestamptz NOT NULL,
         "restored_at" timestamptz NOT NULL,
         "feed_after" bigint NOT NULL,
         "hold_ended_at" timestamptz,
         CONSTRAINT "PK_1616b6cbb2df0bdeb75607c91f8" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "restores_holding" ON "restores" ("restored_at") WHERE hold_ended_at IS NULL`,
    );
  }

  /**
   * An older version knows nothing of a hold, and would give positions of the feed a second time. Asked before any
   * migration is undone.
   */
  async whyNotDown(queryRunner: QueryRunner): Promise<string | null> {
    const needed = (await queryRunner.query(
      `SELECT 1 FROM "restores"
        WHERE "hold_ended_at" IS NULL
           OR "feed_after" >= coalesce((SELECT max("feed_seq") FROM "invoice_events"), 0) LIMIT 1`,
    )) as unknown[];
    return needed.length === 0
      ? null
      : "This database was restored from a backup, and an older version would send what the restore holds back. Start this version, wait until the log of reconcile says that the hold ended and an invoice was created, then stop all apps and undo again.";
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const reason = await this.whyNotDown(queryRunner);
    if (reason !== null) throw new Error(reason);
    await queryRunner.query(`DROP TABLE "restores"`);
  }
}
