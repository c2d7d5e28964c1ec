import type { MigrationInterface, QueryRunner } from "typeorm";

export class IdempotencyKeys1763900000000 implements MigrationInterface {
  name = "IdempotencyKeys1763900000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "idempotency_keys" ("store_id" text NOT NULL, "key" text NOT NULL, "request_hash" bytea NOT NULL, "claim" text NOT NULL, "claimed_until" TIMESTAMP WITH TIME ZONE NOT NULL, "answer" bytea, "expires_at" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "idempotency_keys_pk" PRIMARY KEY ("store_id", "key"))`,
    );
    await queryRunner.query(`CREATE INDEX "idempotency_keys_expires" ON "idempotency_keys" ("expires_at")`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "idempotency_keys"`);
  }
}
