import type { MigrationInterface, QueryRunner } from "typeorm";

/** What a search reads (SEARCHED of commands/invoices/queries.ts), with a space around each part. */
const SEARCHED = `lower(' ' || order_id || ' ' || coalesce(description, '') || ' '
  || trim_scale(amount::numeric)::text || ' ' || currency || ' ')`;

/**
 * Invoices are found by any part of their order id and description. pg_trgm is a trusted extension: a database's owner
 * may create it. The index is built while apps write to the table, which no transaction can do; a migration that was
 * interrupted is run again from its beginning.
 */
export class SearchInvoices1795841869081 implements MigrationInterface {
  name = "SearchInvoices1795841869081";
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("CREATE EXTENSION IF NOT EXISTS pg_trgm");
    await queryRunner.query("SET lock_timeout = 0");
    try {
      await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS "invoices_search"`);
      await queryRunner.query(
        `CREATE INDEX CONCURRENTLY "invoices_search" ON "invoices" USING gin ((${SEARCHED}) gin_trgm_ops)`,
      );
    } finally {
      await queryRunner.query("RESET lock_timeout");
    }
  }

  /** The extension stays: it may have been there before. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "invoices_search"`);
  }
}
