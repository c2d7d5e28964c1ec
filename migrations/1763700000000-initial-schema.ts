import type { MigrationInterface, QueryRunner } from "typeorm";

export class InitialSchema1763700000000 implements MigrationInterface {
  name = "InitialSchema1763700000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "alerts" ("id" text NOT NULL, "kind" text NOT NULL, "severity" text NOT NULL, "subject" text NOT NULL, "store_id" text, "invoice_id" text, "message" text NOT NULL, "at" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "resolved_at" TIMESTAMP WITH TIME ZONE, "told_at" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_60f895662df096bfcdfab7f4b96" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(`CREATE INDEX "alerts_store" ON "alerts"  ("store_id", "at") `);
    await queryRunner.query(
      `CREATE UNIQUE INDEX "alerts_open_subject" ON "alerts"  ("kind", "subject") WHERE resolved_at IS NULL`,
    );
    await queryRunner.query(
      `CREATE TABLE "api_keys" ("id" text NOT NULL, "store_id" text NOT NULL, "name" text NOT NULL, "prefix" text NOT NULL, "hash" bytea NOT NULL, "created_by_key_id" text, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL, "last_used_at" TIMESTAMP WITH TIME ZONE, "expires_at" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_5c8a79801b44bd27b79228e1dad" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(`CREATE INDEX "api_keys_store" ON "api_keys"  ("store_id") `);
    await queryRunner.query(`CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys"  ("hash") `);
    await queryRunner.query(
      `CREATE TABLE "chain_blocks" ("height" integer NOT NULL, "hash" text NOT NULL, "previous_hash" text NOT NULL, "processed_at" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "PK_0fd5993499ceb954e919694bf28" PRIMARY KEY ("height"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "derivations" ("id" text NOT NULL, "account_key" text NOT NULL, "script_type" text NOT NULL, "xpub" text NOT NULL, "next_index" integer NOT NULL DEFAULT '0', "created_at" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "derivations_key" UNIQUE ("account_key", "script_type"), CONSTRAINT "PK_4d6a3b5029a7dd6290fe798af46" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "heartbeats" ("instance_id" text NOT NULL, "worker" text NOT NULL, "started_at" TIMESTAMP WITH TIME ZONE NOT NULL, "beat_at" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "PK_38ac0e395050f5527f3bc02587f" PRIMARY KEY ("instance_id"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "installation" ("singleton" boolean NOT NULL DEFAULT true, "network" text NOT NULL, "secret_check" bytea NOT NULL, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "PK_573d1dd9f210243e9aed26d9440" PRIMARY KEY ("singleton"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "invoices" ("id" text NOT NULL, "store_id" text NOT NULL, "status" text NOT NULL DEFAULT 'New', "additional_status" text NOT NULL DEFAULT 'None', "marked_by_hand" text, "mark_note" text, "amount" text NOT NULL, "currency" text NOT NULL, "due_sats" bigint NOT NULL, "min_due_sats" bigint NOT NULL, "paid_sats" bigint NOT NULL DEFAULT '0', "confirmed_sats" bigint NOT NULL DEFAULT '0', "rate" jsonb, "metadata" text NOT NULL, "order_id" text NOT NULL, "redirect_url" text, "redirect_automatically" boolean NOT NULL DEFAULT false, "description" text, "language" text, "payment_tolerance" numeric(7,4) NOT NULL DEFAULT '0', "required_confirmations" integer NOT NULL, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL, "expires_at" TIMESTAMP WITH TIME ZONE NOT NULL, "monitoring_until" TIMESTAMP WITH TIME ZONE NOT NULL, "archived_at" TIMESTAMP WITH TIME ZONE, "decide_at" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_668cef7c22a427fd822cc1be3ce" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "invoices_decide_at" ON "invoices"  ("decide_at") WHERE decide_at IS NOT NULL`,
    );
    await queryRunner.query(`CREATE INDEX "invoices_store_order" ON "invoices"  ("store_id", "order_id") `);
    await queryRunner.query(
      `CREATE INDEX "invoices_store_list" ON "invoices"  ("store_id", "created_at", "id") `,
    );
    await queryRunner.query(
      `CREATE TABLE "invoice_events" ("id" text NOT NULL, "seq" BIGSERIAL NOT NULL, "store_id" text NOT NULL, "invoice_id" text NOT NULL, "type" text NOT NULL, "additional_status" text NOT NULL, "round" integer NOT NULL DEFAULT '1', "by_hand" boolean NOT NULL DEFAULT false, "body" bytea, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "invoice_events_once" UNIQUE ("invoice_id", "type", "additional_status", "round"), CONSTRAINT "PK_a42e9c3b2513d1e6c2db08ad914" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(`CREATE INDEX "invoice_events_store" ON "invoice_events"  ("store_id") `);
    await queryRunner.query(
      `CREATE TABLE "invoice_history" ("id" BIGSERIAL NOT NULL, "invoice_id" text NOT NULL, "at" TIMESTAMP WITH TIME ZONE NOT NULL, "kind" text NOT NULL, "details" jsonb NOT NULL, CONSTRAINT "PK_177c3e485223573621ff7f57ac6" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(`CREATE INDEX "invoice_history_invoice" ON "invoice_history"  ("invoice_id") `);
    await queryRunner.query(
      `CREATE TABLE "invoice_payment_methods" ("invoice_id" text NOT NULL, "type" text NOT NULL, "destination" text, "available" boolean NOT NULL DEFAULT true, "reason" text, CONSTRAINT "PK_cba4274118c5e14455451405ad7" PRIMARY KEY ("invoice_id", "type"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "leases" ("name" text NOT NULL, "holder" text NOT NULL, "epoch" bigint NOT NULL, "expires_at" TIMESTAMP WITH TIME ZONE NOT NULL, CONSTRAINT "PK_8f564523b661f9e2648c3377687" PRIMARY KEY ("name"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "payments" ("id" text NOT NULL, "invoice_id" text NOT NULL, "type" text NOT NULL, "amount_sats" bigint NOT NULL, "state" text NOT NULL, "below_dust" boolean NOT NULL DEFAULT false, "first_seen_at" TIMESTAMP WITH TIME ZONE NOT NULL, "confirmed_at" TIMESTAMP WITH TIME ZONE, "required_confirmations" integer NOT NULL DEFAULT '1', "txid" text, "vout" integer, "block_height" integer, "block_hash" text, "raw_tx" bytea, "conflict_txid" text, "conflict_since" TIMESTAMP WITH TIME ZONE, "conflict_height" integer, "missing_since" TIMESTAMP WITH TIME ZONE, "preimage" text, CONSTRAINT "PK_197ab7af18c93fbb0c9b28b4a59" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(`CREATE INDEX "payments_invoice" ON "payments"  ("invoice_id") `);
    await queryRunner.query(`CREATE INDEX "payments_txid" ON "payments"  ("txid") WHERE txid IS NOT NULL`);
    await queryRunner.query(
      `CREATE INDEX "payments_block" ON "payments"  ("block_hash") WHERE block_hash IS NOT NULL`,
    );
    await queryRunner.query(
      `CREATE INDEX "payments_unmined" ON "payments"  ("txid") WHERE type = 'BTC-CHAIN' AND block_height IS NULL AND state IN ('pending', 'confirmed')`,
    );
    await queryRunner.query(
      `CREATE INDEX "payments_open" ON "payments"  ("state", "block_height") WHERE state = 'pending'`,
    );
    await queryRunner.query(
      `CREATE TABLE "payment_inputs" ("outpoint" bytea NOT NULL, "txid" text NOT NULL, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "PK_063a9542ae8b9b6a247c5a48255" PRIMARY KEY ("outpoint", "txid"))`,
    );
    await queryRunner.query(`CREATE INDEX "payment_inputs_txid" ON "payment_inputs"  ("txid") `);
    await queryRunner.query(
      `CREATE TABLE "rails" ("type" text NOT NULL, "caught_up_to" TIMESTAMP WITH TIME ZONE, "checked_at" TIMESTAMP WITH TIME ZONE NOT NULL, "synchronized" boolean NOT NULL DEFAULT false, "node_height" integer, "problem" text, CONSTRAINT "PK_20a8edf326fcb4e9b8fb9d8a0f8" PRIMARY KEY ("type"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "stores" ("id" text NOT NULL, "name" text NOT NULL, "website" text, "support_url" text, "default_currency" text NOT NULL DEFAULT 'BTC', "expires_in_seconds" integer NOT NULL DEFAULT '900', "monitoring_seconds" integer NOT NULL DEFAULT '86400', "payment_tolerance" numeric(7,4) NOT NULL DEFAULT '0', "required_confirmations" integer NOT NULL DEFAULT '1', "confirmation_tiers" jsonb NOT NULL DEFAULT '[]', "zero_conf_max_sats" bigint, "redirect_automatically" boolean NOT NULL DEFAULT false, "archived_at" TIMESTAMP WITH TIME ZONE, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "PK_7aa6e7d71fa7acdd7ca43d7c9cb" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "store_payment_methods" ("store_id" text NOT NULL, "type" text NOT NULL, "derivation_id" text, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "PK_c399c366386d36386588376f80d" PRIMARY KEY ("store_id", "type"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "users" ("id" text NOT NULL, "email" text NOT NULL, "admin" boolean NOT NULL DEFAULT false, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "PK_a3ffb1c0c8416b9fc6f907b7433" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(`CREATE UNIQUE INDEX "users_email" ON "users"  ("email") `);
    await queryRunner.query(
      `CREATE TABLE "user_links" ("token_hash" bytea NOT NULL, "user_id" text NOT NULL, "expires_at" TIMESTAMP WITH TIME ZONE NOT NULL, "used_at" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_aedb6ab3960ecb45a0bfb10c012" PRIMARY KEY ("token_hash"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "watched_scripts" ("script_pub_key" bytea NOT NULL, "invoice_id" text NOT NULL, "derivation_id" text NOT NULL, "address_index" integer NOT NULL, CONSTRAINT "watched_scripts_derivation_index" UNIQUE ("derivation_id", "address_index"), CONSTRAINT "PK_3256773ace361b93025e1f0735c" PRIMARY KEY ("script_pub_key"))`,
    );
    await queryRunner.query(`CREATE INDEX "watched_scripts_invoice" ON "watched_scripts"  ("invoice_id") `);
    await queryRunner.query(
      `CREATE TABLE "webhooks" ("id" text NOT NULL, "store_id" text NOT NULL, "url" text NOT NULL, "events" text array NOT NULL, "enabled" boolean NOT NULL DEFAULT true, "secret_encrypted" bytea NOT NULL, "previous_secret_encrypted" bytea, "previous_secret_until" TIMESTAMP WITH TIME ZONE, "failure_streak" integer NOT NULL DEFAULT '0', "created_at" TIMESTAMP WITH TIME ZONE NOT NULL, "deleted_at" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_9e8795cfc899ab7bdaa831e8527" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(`CREATE INDEX "webhooks_store" ON "webhooks"  ("store_id") `);
    await queryRunner.query(
      `CREATE TABLE "webhook_attempts" ("delivery_id" text NOT NULL, "number" integer NOT NULL, "webhook_id" text NOT NULL, "cause" text NOT NULL, "state" text NOT NULL DEFAULT 'sending', "started_at" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "duration_ms" integer, "http_status" integer, "error" text, "response_body" bytea, "resolved_ip" text, CONSTRAINT "PK_85b76907290dffa223b184a3b3d" PRIMARY KEY ("delivery_id", "number"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "webhook_attempts_sending" ON "webhook_attempts"  ("webhook_id", "started_at") WHERE state = 'sending'`,
    );
    await queryRunner.query(
      `CREATE TABLE "webhook_deliveries" ("id" text NOT NULL, "event_id" text NOT NULL, "event_seq" bigint NOT NULL, "webhook_id" text NOT NULL, "store_id" text NOT NULL, "invoice_id" text NOT NULL, "state" text NOT NULL DEFAULT 'pending', "attempt_count" integer NOT NULL DEFAULT '0', "requested_attempt" integer NOT NULL DEFAULT '1', "http_status" integer, "error" text, "duration_ms" integer, "created_at" TIMESTAMP WITH TIME ZONE NOT NULL, "last_attempt_at" TIMESTAMP WITH TIME ZONE, CONSTRAINT "webhook_deliveries_once" UNIQUE ("event_id", "webhook_id"), CONSTRAINT "PK_535dd409947fb6d8fc6dfc0112a" PRIMARY KEY ("id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "webhook_deliveries_open" ON "webhook_deliveries"  ("state", "created_at") WHERE state IN ('pending', 'sending')`,
    );
    await queryRunner.query(
      `CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries"  ("webhook_id", "event_seq") WHERE state = 'pending'`,
    );
    await queryRunner.query(
      `CREATE INDEX "webhook_deliveries_order" ON "webhook_deliveries"  ("invoice_id", "webhook_id", "event_seq") `,
    );
    await queryRunner.query(
      `CREATE INDEX "webhook_deliveries_list" ON "webhook_deliveries"  ("webhook_id", "created_at", "id") `,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "webhook_deliveries_list"`);
    await queryRunner.query(`DROP INDEX "webhook_deliveries_order"`);
    await queryRunner.query(`DROP INDEX "webhook_deliveries_waiting"`);
    await queryRunner.query(`DROP INDEX "webhook_deliveries_open"`);
    await queryRunner.query(`DROP TABLE "webhook_deliveries"`);
    await queryRunner.query(`DROP INDEX "webhook_attempts_sending"`);
    await queryRunner.query(`DROP TABLE "webhook_attempts"`);
    await queryRunner.query(`DROP INDEX "webhooks_store"`);
    await queryRunner.query(`DROP TABLE "webhooks"`);
    await queryRunner.query(`DROP INDEX "watched_scripts_invoice"`);
    await queryRunner.query(`DROP TABLE "watched_scripts"`);
    await queryRunner.query(`DROP TABLE "user_links"`);
    await queryRunner.query(`DROP INDEX "users_email"`);
    await queryRunner.query(`DROP TABLE "users"`);
    await queryRunner.query(`DROP TABLE "store_payment_methods"`);
    await queryRunner.query(`DROP TABLE "stores"`);
    await queryRunner.query(`DROP TABLE "rails"`);
    await queryRunner.query(`DROP INDEX "payment_inputs_txid"`);
    await queryRunner.query(`DROP TABLE "payment_inputs"`);
    await queryRunner.query(`DROP INDEX "payments_open"`);
    await queryRunner.query(`DROP INDEX "payments_unmined"`);
    await queryRunner.query(`DROP INDEX "payments_block"`);
    await queryRunner.query(`DROP INDEX "payments_txid"`);
    await queryRunner.query(`DROP INDEX "payments_invoice"`);
    await queryRunner.query(`DROP TABLE "payments"`);
    await queryRunner.query(`DROP TABLE "leases"`);
    await queryRunner.query(`DROP TABLE "invoice_payment_methods"`);
    await queryRunner.query(`DROP INDEX "invoice_history_invoice"`);
    await queryRunner.query(`DROP TABLE "invoice_history"`);
    await queryRunner.query(`DROP INDEX "invoice_events_store"`);
    await queryRunner.query(`DROP TABLE "invoice_events"`);
    await queryRunner.query(`DROP INDEX "invoices_store_list"`);
    await queryRunner.query(`DROP INDEX "invoices_store_order"`);
    await queryRunner.query(`DROP INDEX "invoices_decide_at"`);
    await queryRunner.query(`DROP TABLE "invoices"`);
    await queryRunner.query(`DROP TABLE "installation"`);
    await queryRunner.query(`DROP TABLE "heartbeats"`);
    await queryRunner.query(`DROP TABLE "derivations"`);
    await queryRunner.query(`DROP TABLE "chain_blocks"`);
    await queryRunner.query(`DROP INDEX "api_keys_hash"`);
    await queryRunner.query(`DROP INDEX "api_keys_store"`);
    await queryRunner.query(`DROP TABLE "api_keys"`);
    await queryRunner.query(`DROP INDEX "alerts_open_subject"`);
    await queryRunner.query(`DROP INDEX "alerts_store"`);
    await queryRunner.query(`DROP TABLE "alerts"`);
  }
}
