import type { MigrationInterface, QueryRunner } from "typeorm";

export class AuditBrandingTestEvents1763800000000 implements MigrationInterface {
  name = "AuditBrandingTestEvents1763800000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "audit_log" ("id" text NOT NULL, "at" TIMESTAMP WITH TIME ZONE NOT NULL, "actor_kind" text NOT NULL, "actor_id" text, "action" text NOT NULL, "store_id" text, "subject" text NOT NULL, "details" jsonb NOT NULL, CONSTRAINT "PK_07fefa57f7f5ab8fc3f52b3ed0b" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(`CREATE INDEX "audit_log_store" ON "audit_log"  ("store_id", "at") `);
    await queryRunner.query(`ALTER TABLE "invoice_events" ADD "test" boolean NOT NULL DEFAULT false`);
    await queryRunner.query(`ALTER TABLE "stores" ADD "rate_spread" numeric(7,4) NOT NULL DEFAULT '0'`);
    await queryRunner.query(`ALTER TABLE "stores" ADD "rate_sources" text array`);
    await queryRunner.query(`ALTER TABLE "stores" ADD "logo_url" text`);
    await queryRunner.query(`ALTER TABLE "stores" ADD "brand_color" text`);
    await queryRunner.query(`ALTER TABLE "webhook_attempts" ADD "sent_headers" jsonb`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "webhook_attempts" DROP COLUMN "sent_headers"`);
    await queryRunner.query(`ALTER TABLE "stores" DROP COLUMN "brand_color"`);
    await queryRunner.query(`ALTER TABLE "stores" DROP COLUMN "logo_url"`);
    await queryRunner.query(`ALTER TABLE "stores" DROP COLUMN "rate_sources"`);
    await queryRunner.query(`ALTER TABLE "stores" DROP COLUMN "rate_spread"`);
    await queryRunner.query(`ALTER TABLE "invoice_events" DROP COLUMN "test"`);
    await queryRunner.query(`DROP INDEX "audit_log_store"`);
    await queryRunner.query(`DROP TABLE "audit_log"`);
  }
}
