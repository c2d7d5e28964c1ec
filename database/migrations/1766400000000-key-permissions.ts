import type { MigrationInterface, QueryRunner } from "typeorm";

/** Null, as for every key that exists: a key of the native API. */
export class KeyPermissions1766400000000 implements MigrationInterface {
  name = "KeyPermissions1766400000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "api_keys" ADD "permissions" text array`);
  }

  /** Without their permissions they would be keys with full access. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM "api_keys" WHERE "permissions" IS NOT NULL`);
    await queryRunner.query(`ALTER TABLE "api_keys" DROP COLUMN "permissions"`);
  }
}
