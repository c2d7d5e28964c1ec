import type { MigrationInterface, QueryRunner } from "typeorm";

/** Null, as for every invitation that exists: its maker is not known. */
export class InvitationMaker1795746749976 implements MigrationInterface {
  name = "InvitationMaker1795746749976";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "store_invitations" ADD "created_by_user_id" text`);
  }

  /** An older version would let these be accepted: their makers may invite nobody any more. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `DELETE FROM "store_invitations" AS invitation
        WHERE "created_by_user_id" IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM "users" AS maker
           WHERE maker."id" = invitation."created_by_user_id" AND maker."disabled_at" IS NULL
             AND (maker."admin" OR EXISTS (
               SELECT 1 FROM "store_members" AS member
                WHERE member."store_id" = invitation."store_id" AND member."user_id" = maker."id"
                  AND member."role" = 'owner')))`,
    );
    await queryRunner.query(`ALTER TABLE "store_invitations" DROP COLUMN "created_by_user_id"`);
  }
}
