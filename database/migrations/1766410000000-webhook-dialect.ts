import type { MigrationInterface, QueryRunner } from "typeorm";

/** Nobody waits behind it while it waits for the end of older transactions. */
async function concurrently(queryRunner: QueryRunner, sql: string): Promise<void> {
  await queryRunner.query("SET lock_timeout = 0");
  try {
    await queryRunner.query(sql);
  } finally {
    await queryRunner.query("RESET lock_timeout");
  }
}

/** One that is complete already, in a try before this one, is kept: it may have taken long. */
async function buildIndex(queryRunner: QueryRunner, name: string, definition: string): Promise<void> {
  const [found] = (await queryRunner.query(
    "SELECT indisvalid AS complete FROM pg_index WHERE indexrelid = to_regclass($1)",
    [`"${name}"`],
  )) as { complete: boolean }[];
  if (found?.complete === true) return;
  await concurrently(queryRunner, `DROP INDEX CONCURRENTLY IF EXISTS "${name}"`);
  await concurrently(queryRunner, definition);
}

/**
 * Webhooks of shop plugins: one event is several deliveries there, and a failed one is sent again.
 *
 * `webhook_deliveries` is large, so its indexes are built while apps write to it, which no transaction can do. A
 * migration that was interrupted is run again from its beginning.
 */
export class WebhookDialect1766410000000 implements MigrationInterface {
  name = "WebhookDialect1766410000000";
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "webhooks"
         ADD IF NOT EXISTS "dialect" text NOT NULL DEFAULT 'native',
         ADD IF NOT EXISTS "specific_events" text[],
         ADD IF NOT EXISTS "automatic_redelivery" boolean NOT NULL DEFAULT false`,
    );
    await queryRunner.query(
      `ALTER TABLE "webhook_deliveries"
         ADD IF NOT EXISTS "part" smallint NOT NULL DEFAULT 0,
         ADD IF NOT EXISTS "dialect_type" text,
         ADD IF NOT EXISTS "dialect_fields" jsonb,
         ADD IF NOT EXISTS "retry_count" smallint NOT NULL DEFAULT 0,
         ADD IF NOT EXISTS "retry_at" timestamptz`,
    );
    await buildIndex(
      queryRunner,
      "webhook_deliveries_new_key",
      `CREATE UNIQUE INDEX CONCURRENTLY "webhook_deliveries_new_key"
           ON "webhook_deliveries" ("event_id", "webhook_id", "part")`,
    );
    // The table is locked only for the exchange, when the new index is complete.
    await queryRunner.query(
      `ALTER TABLE "webhook_deliveries" DROP CONSTRAINT IF EXISTS "webhook_deliveries_once",
         ADD CONSTRAINT "webhook_deliveries_once" UNIQUE USING INDEX "webhook_deliveries_new_key"`,
    );
    await buildIndex(
      queryRunner,
      "webhook_deliveries_retry",
      `CREATE INDEX CONCURRENTLY "webhook_deliveries_retry" ON "webhook_deliveries" ("retry_at")
        WHERE state = 'failed' AND retry_at IS NOT NULL`,
    );
  }

  /**
   * An older version would send the plugins native events: their webhooks are deleted. An undo is one transaction, so
   * one that was interrupted has changed nothing.
   */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `UPDATE "webhooks" SET "deleted_at" = coalesce("deleted_at", clock_timestamp()), "enabled" = false
        WHERE "dialect" <> 'native'`,
    );
    await queryRunner.query(
      `DELETE FROM "webhook_attempts" WHERE "delivery_id" IN (SELECT "id" FROM "webhook_deliveries" WHERE "part" > 0)`,
    );
    await queryRunner.query(`DELETE FROM "webhook_deliveries" WHERE "part" > 0`);
    await queryRunner.query(`DROP INDEX "webhook_deliveries_retry"`);
    await queryRunner.query(
      `ALTER TABLE "webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_once",
         ADD CONSTRAINT "webhook_deliveries_once" UNIQUE ("event_id", "webhook_id")`,
    );
    await queryRunner.query(
      `ALTER TABLE "webhook_deliveries"
         DROP "part", DROP "dialect_type", DROP "dialect_fields",
         DROP "retry_count", DROP "retry_at"`,
    );
    await queryRunner.query(
      `ALTER TABLE "webhooks" DROP "dialect", DROP "specific_events",
         DROP "automatic_redelivery"`,
    );
  }
}
