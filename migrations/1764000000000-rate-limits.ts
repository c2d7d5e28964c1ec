import type { MigrationInterface, QueryRunner } from "typeorm";

export class RateLimits1764000000000 implements MigrationInterface {
  name = "RateLimits1764000000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE UNLOGGED TABLE "rate_limits" ("key" text NOT NULL, "points" integer NOT NULL DEFAULT 0, "expire" bigint, CONSTRAINT "rate_limits_pk" PRIMARY KEY ("key"))`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "rate_limits"`);
  }
}
