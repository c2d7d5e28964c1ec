import type { MigrationInterface, QueryRunner } from "typeorm";

const CHANNELS = [
  ["log", "alerts_for_log"],
  ["ALERT_URL", "alerts_for_alert_url"],
  ["SMTP_URL", "alerts_for_smtp_url"],
  ["owners", "alerts_for_owners"],
] as const;

/** Each alert records which channels accepted it, and each channel finds by an index of its own what it has not. */
export class AlertChannels1795746477094 implements MigrationInterface {
  name = "AlertChannels1795746477094";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "alerts" ADD "accepted_by" text[] NOT NULL DEFAULT '{}'`);
    for (const [channel, index] of CHANNELS)
      await queryRunner.query(
        `CREATE INDEX "${index}" ON "alerts" ("severity", "at", "id")
          WHERE told_at IS NULL AND '${channel}' <> ALL (accepted_by)`,
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "alerts" DROP COLUMN "accepted_by"`);
  }
}
