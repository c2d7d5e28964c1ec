import { Column, Entity, Index, PrimaryColumn, Unique } from "typeorm";
import type { NoticeKind, SummaryInterval } from "../domain/account/notice";

/** What a member of a store is sent by mail. No row: nothing. */
@Entity({ name: "mail_choices" })
@Index("mail_choices_summary", ["summarisedTo", "id"], { where: "summary <> 'none'" })
@Unique("mail_choices_member", ["storeId", "userId"])
export class MailChoice {
  /** In the link that ends it. */
  @PrimaryColumn({ type: "text" }) id: string;
  @Column({ type: "text" }) storeId: string;
  @Column({ type: "text" }) userId: string;
  @Column({ type: "text", array: true }) kinds: NoticeKind[];
  @Column({ type: "text", default: "none" }) summary: SummaryInterval;
  /** The last event of the store's feed that was considered. */
  @Column({ type: "bigint" }) feedAfter: string;
  /** The last day, in the store's time zone, that a summary covers. */
  @Column({ type: "date" }) summarisedTo: string;
  /** Set before a mail is sent: the next one waits, whether it was accepted or not. */
  @Column({ type: "timestamptz", nullable: true }) mailedAt: Date | null;
  @Column({ type: "timestamptz" }) createdAt: Date;
}
