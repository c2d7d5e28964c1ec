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

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "restores"`);
  }
}
