import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Filters that match few of a store's many rows. Made beside the service's work, without a lock on the tables: outside
 * a transaction, so what an attempt left half made is dropped by the next.
 */
const INDEXES: readonly (readonly [name: string, on: string])[] = [
  [
    "invoices_store_qualified",
    `"invoices" ("store_id", "additional_status", "created_at", "id") WHERE additional_status <> 'None'`,
  ],
  ["invoices_store_archived", `"invoices" ("store_id", "created_at", "id") WHERE archived_at IS NOT NULL`],
  ["invoice_events_store_type", `"invoice_events" ("store_id", "type")`],
  [
    "webhook_deliveries_skipped",
    `"webhook_deliveries" ("webhook_id", "created_at", "id") WHERE state = 'skipped'`,
  ],
];

export class IndexesForRareFilters1764500000020 implements MigrationInterface {
  name = "IndexesForRareFilters1764500000020";
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, on] of INDEXES) {
      await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`);
      await queryRunner.query(`CREATE INDEX CONCURRENTLY "${name}" ON ${on}`);
    }
    // The new one begins with the store as well.
    await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS "invoice_events_store"`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE INDEX "invoice_events_store" ON "invoice_events" ("store_id")`);
    for (const [name] of INDEXES) await queryRunner.query(`DROP INDEX "${name}"`);
  }
}
