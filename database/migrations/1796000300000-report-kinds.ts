import type { MigrationInterface, QueryRunner } from "typeorm";

/** Unconfirmed payments are no longer compared, and what differs in a block has one kind. */
export class ReportKinds1796000300000 implements MigrationInterface {
  name = "ReportKinds1796000300000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `UPDATE "reconciliation_reports" SET "differences" = (
         SELECT coalesce(jsonb_agg(
                  CASE WHEN one->>'kind' IN ('not-in-database', 'not-in-block') THEN one
                       ELSE jsonb_set(one, '{kind}', '"differs"') END), '[]')
           FROM jsonb_array_elements("differences") one WHERE one->>'height' IS NOT NULL)
        WHERE "differences" <> '[]'`,
    );
  }

  async down(): Promise<void> {}
}
