import type { MigrationInterface, QueryRunner } from "typeorm";

/** The tables, columns and constraints (with their indexes) have the glossary's words. No row is changed. */
export class NameWalletsAndSyncs1766300000000 implements MigrationInterface {
  name = "NameWalletsAndSyncs1766300000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "derivations" RENAME TO "wallets"`);
    await queryRunner.query(
      `ALTER TABLE "wallets" RENAME CONSTRAINT "PK_4d6a3b5029a7dd6290fe798af46" TO "PK_8402e5df5a30a229380e83e4f7e"`,
    );
    await queryRunner.query(`ALTER TABLE "wallets" RENAME CONSTRAINT "derivations_key" TO "wallets_key"`);
    await queryRunner.query(`ALTER TABLE "store_payment_methods" RENAME "derivation_id" TO "wallet_id"`);
    await queryRunner.query(`ALTER TABLE "watched_scripts" RENAME "derivation_id" TO "wallet_id"`);
    await queryRunner.query(
      `ALTER TABLE "watched_scripts" RENAME CONSTRAINT "watched_scripts_derivation_index" TO "watched_scripts_wallet_index"`,
    );
    await queryRunner.query(`ALTER TABLE "rails" RENAME TO "payment_method_syncs"`);
    await queryRunner.query(
      `ALTER TABLE "payment_method_syncs" RENAME CONSTRAINT "PK_20a8edf326fcb4e9b8fb9d8a0f8" TO "PK_12762e91caf1a1fe5aad23b4b5e"`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "payment_method_syncs" RENAME CONSTRAINT "PK_12762e91caf1a1fe5aad23b4b5e" TO "PK_20a8edf326fcb4e9b8fb9d8a0f8"`,
    );
    await queryRunner.query(`ALTER TABLE "payment_method_syncs" RENAME TO "rails"`);
    await queryRunner.query(
      `ALTER TABLE "watched_scripts" RENAME CONSTRAINT "watched_scripts_wallet_index" TO "watched_scripts_derivation_index"`,
    );
    await queryRunner.query(`ALTER TABLE "watched_scripts" RENAME "wallet_id" TO "derivation_id"`);
    await queryRunner.query(`ALTER TABLE "store_payment_methods" RENAME "wallet_id" TO "derivation_id"`);
    await queryRunner.query(`ALTER TABLE "wallets" RENAME CONSTRAINT "wallets_key" TO "derivations_key"`);
    await queryRunner.query(
      `ALTER TABLE "wallets" RENAME CONSTRAINT "PK_8402e5df5a30a229380e83e4f7e" TO "PK_4d6a3b5029a7dd6290fe798af46"`,
    );
    await queryRunner.query(`ALTER TABLE "wallets" RENAME TO "derivations"`);
  }
}
