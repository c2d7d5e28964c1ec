import type { MigrationInterface, QueryRunner } from "typeorm";

/** The alert of a restore is its hold: one state, which a person ends. */
export class RestoreHoldByAlert1797023000001 implements MigrationInterface {
  name = "RestoreHoldByAlert1797023000001";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "restores_holding"`);
    await queryRunner.query(
      `UPDATE "alerts" SET "resolved_at" = clock_timestamp()
        WHERE "kind" = 'restored' AND "resolved_at" IS NULL
          AND "subject" IN (SELECT "id" FROM "restores" WHERE "hold_ended_at" IS NOT NULL)`,
    );
    await queryRunner.query(`ALTER TABLE "restores" DROP COLUMN "hold_ended_at"`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "restores" ADD "hold_ended_at" timestamptz`);
    await queryRunner.query(
      `UPDATE "restores" SET "hold_ended_at" = clock_timestamp()
        WHERE NOT EXISTS (SELECT FROM "alerts"
                           WHERE "kind" = 'restored' AND "subject" = "restores"."id" AND "resolved_at" IS NULL)`,
    );
    await queryRunner.query(
      `CREATE INDEX "restores_holding" ON "restores" ("restored_at") WHERE "hold_ended_at" IS NULL`,
    );
  }
}
