import type { MigrationInterface, QueryRunner } from "typeorm";

/** Written anew every five seconds: after a crash nobody misses them, and they were most of an idle service's log. */
export class HeartbeatsUnlogged1796200000000 implements MigrationInterface {
  name = "HeartbeatsUnlogged1796200000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "heartbeats" SET UNLOGGED`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "heartbeats" SET LOGGED`);
  }
}
