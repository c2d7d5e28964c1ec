import type { MigrationInterface, QueryRunner } from "typeorm";
import { ACCOUNTS } from "./initial-schema/accounts";
import { INVOICES } from "./initial-schema/invoices";
import { OPERATIONS } from "./initial-schema/operations";
import { PAYMENTS } from "./initial-schema/payments";
import { STORES } from "./initial-schema/stores";
import { WEBHOOKS } from "./initial-schema/webhooks";

const SCHEMA = [...STORES, ...ACCOUNTS, ...INVOICES, ...PAYMENTS, ...WEBHOOKS, ...OPERATIONS];

/** Every table, with its columns in the order that databases of before have them (docs/adr/0059). */
export class InitialSchema1795700000001 implements MigrationInterface {
  name = "InitialSchema1795700000001";

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of SCHEMA) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const tables = SCHEMA.flatMap(
      (statement) => /^CREATE (?:UNLOGGED )?TABLE (\w+)/.exec(statement)?.[1] ?? [],
    );
    await queryRunner.query(`DROP TABLE ${tables.join(", ")}`);
  }
}
