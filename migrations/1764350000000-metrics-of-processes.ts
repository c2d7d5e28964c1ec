import type { MigrationInterface, QueryRunner } from "typeorm";

export class MetricsOfProcesses1764350000000 implements MigrationInterface {
  name = "MetricsOfProcesses1764350000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "heartbeats" ADD "metrics" json`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "heartbeats" DROP COLUMN "metrics"`);
  }
}
