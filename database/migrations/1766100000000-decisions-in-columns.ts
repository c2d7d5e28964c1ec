import type { MigrationInterface, QueryRunner } from "typeorm";

/** What a decision or a watcher found out is a column, so that no statement and no message has to be asked again. */
export class DecisionsInColumns1766100000000 implements MigrationInterface {
  name = "DecisionsInColumns1766100000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "invoices" ADD "expiry_held" boolean NOT NULL DEFAULT false`);
    await queryRunner.query(`CREATE INDEX "invoices_expiry_held" ON "invoices" ("id") WHERE expiry_held`);
    await queryRunner.query(`DROP INDEX "invoices_decide_at"`);
    await queryRunner.query(
      `CREATE INDEX "invoices_decide_at" ON "invoices" ("decide_at", "id") WHERE decide_at IS NOT NULL`,
    );
    await this.addDetails(queryRunner);
  }

  private async addDetails(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "rails" ADD "fault" text`);
    await queryRunner.query(`ALTER TABLE "alerts" ADD "details" jsonb`);
    await queryRunner.query(
      `UPDATE "alerts" SET "details" = jsonb_build_object('hole', jsonb_build_object('kind', part[1],
              'fromHeight', part[2]::int, 'toHeight', part[3]::int))
         FROM (SELECT "id" AS of_id, regexp_match("subject", '^([a-z-]+) (\\d+)-(\\d+)$') AS part FROM "alerts") AS read
        WHERE "id" = of_id AND "kind" = 'node-behind' AND part IS NOT NULL`,
    );
    await queryRunner.query(
      `UPDATE "alerts" SET "details" = jsonb_build_object('item', jsonb_build_object(
              'kind', split_part("subject", ' ', 1), 'subject', split_part("subject", ' ', 2)))
        WHERE "kind" = 'set-aside'`,
    );
    await queryRunner.query(
      `UPDATE "alerts" SET "details" = jsonb_build_object('currency', split_part("subject", ' ', 1))
        WHERE "kind" = 'rates-away'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "alerts" DROP COLUMN "details"`);
    await queryRunner.query(`ALTER TABLE "rails" DROP COLUMN "fault"`);
    await queryRunner.query(`DROP INDEX "invoices_decide_at"`);
    await queryRunner.query(
      `CREATE INDEX "invoices_decide_at" ON "invoices" ("decide_at") WHERE decide_at IS NOT NULL`,
    );
    await queryRunner.query(`UPDATE "invoices" SET "decide_at" = "expires_at" WHERE "expiry_held"`);
    await queryRunner.query(`DROP INDEX "invoices_expiry_held"`);
    await queryRunner.query(`ALTER TABLE "invoices" DROP COLUMN "expiry_held"`);
  }
}
