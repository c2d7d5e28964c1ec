import type { MigrationInterface, QueryRunner } from "typeorm";

const TABLES = [
  "api_keys",
  "passkeys",
  "recovery_codes",
  "sessions",
  "store_invitations",
  "store_members",
  "stores",
  "user_links",
  "users",
];
const SHOWN = [
  ["sessions", "link_shown_to"],
  ["user_links", "shown_to"],
  ["users", "link_shown_to"],
] as const;

/** What `migrate` fills in before the next migration: it has the secret, and migrations have not. */
export class AuthenticAccess1795833600000 implements MigrationInterface {
  name = "AuthenticAccess1795833600000";

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, column] of SHOWN)
      await queryRunner.query(`ALTER TABLE "${table}" ADD "${column}" text`);
    for (const table of TABLES) await queryRunner.query(`ALTER TABLE "${table}" ADD "mac" bytea`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await queryRunner.query(`ALTER TABLE "${table}" DROP COLUMN "mac"`);
    for (const [table, column] of SHOWN)
      await queryRunner.query(`ALTER TABLE "${table}" DROP COLUMN "${column}"`);
  }
}
