import type { MigrationInterface, QueryRunner } from "typeorm";

export class Accounts1765000000000 implements MigrationInterface {
  name = "Accounts1765000000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "passkeys" ("id" text NOT NULL, "user_id" text NOT NULL, "name" text NOT NULL, "credential_id" text NOT NULL, "public_key" bytea NOT NULL, "counter" bigint NOT NULL, "transports" text array NOT NULL, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL, "last_used_at" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_db928e6fd79e7098911268a74c3" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(`CREATE INDEX "passkeys_user" ON "passkeys"  ("user_id") `);
    await queryRunner.query(`CREATE UNIQUE INDEX "passkeys_credential" ON "passkeys"  ("credential_id") `);
    await queryRunner.query(
      `CREATE TABLE "passkey_challenges" ("challenge" text NOT NULL, "purpose" text NOT NULL, "user_id" text, "expires_at" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "PK_f16897735bf450c1a673d0a96b8" PRIMARY KEY ("challenge"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "recovery_codes" ("user_id" text NOT NULL, "code_hash" bytea NOT NULL, "used_at" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_d07c335ded337e58c4f36f234d2" PRIMARY KEY ("user_id", "code_hash"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "sessions" ("id" text NOT NULL, "token_hash" bytea NOT NULL, "user_id" text NOT NULL, "stage" text NOT NULL, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL, "last_seen_at" TIMESTAMP WITH TIME ZONE NOT NULL, "expires_at" TIMESTAMP WITH TIME ZONE NOT NULL, "authenticated_at" TIMESTAMP WITH TIME ZONE NOT NULL, "failures" integer NOT NULL DEFAULT '0', "ip" text NOT NULL, "user_agent" text NOT NULL, CONSTRAINT "PK_3238ef96f18b355b671619111bc" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(`CREATE UNIQUE INDEX "sessions_token_hash" ON "sessions"  ("token_hash") `);
    await queryRunner.query(`CREATE INDEX "sessions_user" ON "sessions"  ("user_id") `);
    await queryRunner.query(`CREATE INDEX "sessions_expires" ON "sessions"  ("expires_at") `);
    await queryRunner.query(
      `CREATE TABLE "store_members" ("store_id" text NOT NULL, "user_id" text NOT NULL, "role" text NOT NULL, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "PK_e119dedd3232bbe7db331e06732" PRIMARY KEY ("store_id", "user_id"))`,
    );
    await queryRunner.query(`CREATE INDEX "store_members_user" ON "store_members"  ("user_id") `);
    await queryRunner.query(`ALTER TABLE "users" ADD "password_hash" text`);
    await queryRunner.query(`ALTER TABLE "users" ADD "totp_secret_encrypted" bytea`);
    await queryRunner.query(`ALTER TABLE "users" ADD "totp_confirmed_at" TIMESTAMP WITH TIME ZONE`);
    await queryRunner.query(`ALTER TABLE "users" ADD "totp_last_step" integer`);
    await queryRunner.query(`ALTER TABLE "users" ADD "disabled_at" TIMESTAMP WITH TIME ZONE`);
    await queryRunner.query(`ALTER TABLE "user_links" ADD "kind" text NOT NULL DEFAULT 'setup'`);
    await queryRunner.query(`ALTER TABLE "user_links" ADD "store_id" text`);
    await queryRunner.query(`CREATE INDEX "user_links_user" ON "user_links"  ("user_id") `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "user_links_user"`);
    await queryRunner.query(`ALTER TABLE "user_links" DROP COLUMN "store_id"`);
    await queryRunner.query(`ALTER TABLE "user_links" DROP COLUMN "kind"`);
    await queryRunner.query(`ALTER TABLE "users" DROP COLUMN "disabled_at"`);
    await queryRunner.query(`ALTER TABLE "users" DROP COLUMN "totp_last_step"`);
    await queryRunner.query(`ALTER TABLE "users" DROP COLUMN "totp_confirmed_at"`);
    await queryRunner.query(`ALTER TABLE "users" DROP COLUMN "totp_secret_encrypted"`);
    await queryRunner.query(`ALTER TABLE "users" DROP COLUMN "password_hash"`);
    await queryRunner.query(`DROP INDEX "store_members_user"`);
    await queryRunner.query(`DROP TABLE "store_members"`);
    await queryRunner.query(`DROP INDEX "sessions_expires"`);
    await queryRunner.query(`DROP INDEX "sessions_user"`);
    await queryRunner.query(`DROP INDEX "sessions_token_hash"`);
    await queryRunner.query(`DROP TABLE "sessions"`);
    await queryRunner.query(`DROP TABLE "recovery_codes"`);
    await queryRunner.query(`DROP TABLE "passkey_challenges"`);
    await queryRunner.query(`DROP INDEX "passkeys_credential"`);
    await queryRunner.query(`DROP INDEX "passkeys_user"`);
    await queryRunner.query(`DROP TABLE "passkeys"`);
  }
}
