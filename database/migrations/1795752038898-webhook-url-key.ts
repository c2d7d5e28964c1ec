import type { MigrationInterface, QueryRunner } from "typeorm";

/** For webhooks that exist, the audit log says which key set the URL. */
export class WebhookUrlKey1795752038898 implements MigrationInterface {
  name = "WebhookUrlKey1795752038898";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "webhooks" ADD "url_set_by_key_id" text`);
    await queryRunner.query(
      `UPDATE "webhooks" SET "url_set_by_key_id" = "latest"."actor_id"
         FROM (SELECT DISTINCT ON ("subject") "subject", "actor_kind", "actor_id" FROM "audit_log"
                WHERE "action" IN ('webhook.created', 'webhook.changed') AND "details" ? 'origin'
                ORDER BY "subject", "at" DESC, "id" DESC) AS "latest"
        WHERE "latest"."subject" = "webhooks"."id" AND "latest"."actor_kind" = 'key'
          AND "webhooks"."deleted_at" IS NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "webhooks" DROP COLUMN "url_set_by_key_id"`);
  }
}
