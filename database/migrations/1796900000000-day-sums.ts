import type { MigrationInterface, QueryRunner } from "typeorm";

/** What writes the rows that sums count, and when a day's sums are no longer right. */
const WRITES = [
  ["invoices", "INSERT", "true"],
  [
    "invoices",
    "UPDATE",
    `(OLD.status, OLD.additional_status, OLD.created_at, OLD.currency, OLD.amount, OLD.due_sats) IS DISTINCT FROM
     (NEW.status, NEW.additional_status, NEW.created_at, NEW.currency, NEW.amount, NEW.due_sats)`,
  ],
  ["payments", "INSERT", "NEW.state = 'confirmed'"],
  [
    "payments",
    "UPDATE",
    `'confirmed' IN (OLD.state, NEW.state) AND
     (OLD.state, OLD.confirmed_at, OLD.first_seen_at, OLD.below_dust, OLD.amount_sats) IS DISTINCT FROM
     (NEW.state, NEW.confirmed_at, NEW.first_seen_at, NEW.below_dust, NEW.amount_sats)`,
  ],
  ["reviews", "INSERT", "NEW.refund_sats IS NOT NULL"],
  [
    "reviews",
    "UPDATE",
    "(OLD.refund_sats, OLD.resolved_at) IS DISTINCT FROM (NEW.refund_sats, NEW.resolved_at)",
  ],
] as const;

export class DaySums1796900000000 implements MigrationInterface {
  name = "DaySums1796900000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "day_sums" (
        "id" BIGSERIAL NOT NULL,
        "store_id" text NOT NULL,
        "begins_at" TIMESTAMP WITH TIME ZONE NOT NULL,
        "ends_at" TIMESTAMP WITH TIME ZONE NOT NULL,
        "sums" json,
        CONSTRAINT "day_sums_pkey" PRIMARY KEY ("id")
      )`,
    );
    await queryRunner.query(`CREATE INDEX "day_sums_day" ON "day_sums" ("store_id", "begins_at", "ends_at")`);
    // A row more, and no DELETE, for which two writers could wait for each other. No day is longer than two. One INSERT
    // for all instants would be planned each time.
    await queryRunner.query(
      `CREATE FUNCTION note_day_change() RETURNS trigger LANGUAGE plpgsql AS $$
       DECLARE instants timestamptz[]; moment timestamptz; former timestamptz;
       BEGIN
         IF TG_TABLE_NAME = 'invoices' THEN instants := ARRAY[OLD.created_at, NEW.created_at];
         ELSIF TG_TABLE_NAME = 'reviews' THEN instants := ARRAY[OLD.resolved_at, NEW.resolved_at];
         ELSE instants := ARRAY[OLD.confirmed_at, NEW.confirmed_at,
                                (SELECT created_at FROM invoices WHERE id = NEW.invoice_id)];
         END IF;
         FOREACH moment IN ARRAY instants LOOP
           CONTINUE WHEN moment IS NULL OR moment = former;
           former := moment;
           INSERT INTO day_sums (store_id, begins_at, ends_at)
           SELECT NEW.store_id, day.begins_at, day.ends_at FROM day_sums day
            WHERE day.store_id = NEW.store_id AND day.ends_at > moment
              AND day.begins_at <= moment AND day.begins_at > moment - interval '2 days'
            GROUP BY day.begins_at, day.ends_at HAVING count(*) = 1;
         END LOOP;
         RETURN NULL;
       END $$`,
    );
    for (const [table, write, changes] of WRITES)
      await queryRunner.query(
        `CREATE TRIGGER "${table}_day_change_${write.toLowerCase()}" AFTER ${write} ON "${table}"
         FOR EACH ROW WHEN (${changes}) EXECUTE FUNCTION note_day_change()`,
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, write] of WRITES)
      await queryRunner.query(`DROP TRIGGER "${table}_day_change_${write.toLowerCase()}" ON "${table}"`);
    await queryRunner.query(`DROP FUNCTION note_day_change`);
    await queryRunner.query(`DROP TABLE "day_sums"`);
  }
}
