import type { MigrationInterface, QueryRunner } from "typeorm";

/** It is about a node, no longer about each store that offers it: where it holds, lightning-watch raises it again. */
const END = `UPDATE "alerts" SET "resolved_at" = clock_timestamp() WHERE "kind" = 'cannot-receive' AND "resolved_at" IS NULL`;

export class CannotReceiveOfNodes1797023000002 implements MigrationInterface {
  name = "CannotReceiveOfNodes1797023000002";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(END);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(END);
  }
}
