import type { MigrationInterface, QueryRunner } from "typeorm";

/** A node is known by its address and key: nothing read its name. */
export class DropNodeName1796600000000 implements MigrationInterface {
  name = "DropNodeName1796600000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "lightning_nodes" DROP COLUMN "name"`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "lightning_nodes" ADD "name" text`);
    await queryRunner.query(`UPDATE lightning_nodes SET name = coalesce(address, 'LND')`);
    await queryRunner.query(`ALTER TABLE "lightning_nodes" ALTER COLUMN "name" SET NOT NULL`);
  }
}
