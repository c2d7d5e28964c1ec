import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { NoticeKind } from "../domain/account/notice";

/** Something that a member is sent, once, in a mail with all others that wait. */
@Entity({ name: "notices" })
@Index("notices_unsent", ["choiceId", "at"], { where: "sent_at IS NULL" })
@Index("notices_at", ["at"])
export class Notice {
  @PrimaryColumn({ type: "text" }) choiceId: string;
  @PrimaryColumn({ type: "text" }) kind: NoticeKind | "summary";
  /** An invoice, a review, an alert; `2026-03-01/2026-03-07` for a summary. */
  @PrimaryColumn({ type: "text" }) subject: string;
  @Column({ type: "timestamptz" }) at: Date;
  /** When the mail server accepted it. */
  @Column({ type: "timestamptz", nullable: true }) sentAt: Date | null;
}
