import type { MigrationInterface, QueryRunner } from "typeorm";

const UNSENT_TO_MEMBERS = `"severity", "at", "id") WHERE sent_at IS NULL AND 'members' <> ALL (accepted_by)`;

export class Mails1796220000000 implements MigrationInterface {
  name = "Mails1796220000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "mail_choices" (
        "id" text NOT NULL,
        "store_id" text NOT NULL,
        "user_id" text NOT NULL,
        "kinds" text array NOT NULL,
        "summary" text NOT NULL DEFAULT 'none',
        "feed_after" bigint NOT NULL,
        "summarised_to" date NOT NULL,
        "mailed_at" TIMESTAMP WITH TIME ZONE,
        "created_at" TIMESTAMP WITH TIME ZONE NOT NULL,
        CONSTRAINT "mail_choices_pkey" PRIMARY KEY ("id"),
        CONSTRAINT "mail_choices_member" UNIQUE ("store_id", "user_id")
      )`,
    );
    await queryRunner.query(
      `CREATE INDEX "mail_choices_summary" ON "mail_choices" ("summarised_to", "id") WHERE summary <> 'none'`,
    );
    await queryRunner.query(
      `CREATE TABLE "notices" (
        "choice_id" text NOT NULL,
        "kind" text NOT NULL,
        "subject" text NOT NULL,
        "at" TIMESTAMP WITH TIME ZONE NOT NULL,
        "sent_at" TIMESTAMP WITH TIME ZONE,
        CONSTRAINT "notices_pkey" PRIMARY KEY ("choice_id", "kind", "subject")
      )`,
    );
    await queryRunner.query(
      `CREATE INDEX "notices_unsent" ON "notices" ("choice_id", "at") WHERE sent_at IS NULL`,
    );
    await queryRunner.query(`CREATE INDEX "notices_at" ON "notices" ("at")`);
    await queryRunner.query(`CREATE INDEX "alerts_for_members" ON "alerts" (${UNSENT_TO_MEMBERS}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "alerts_for_members"`);
    await queryRunner.query(`DROP TABLE "notices"`);
    await queryRunner.query(`DROP TABLE "mail_choices"`);
  }
}
