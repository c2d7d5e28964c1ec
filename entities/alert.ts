import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { ActorKind } from "./audit-entry";

export const ALERT_KINDS = [
  "payment-before-invoice",
  "payment-refused",
  "reorganisation",
  "double-spend",
  "expiry-held",
  "node-away",
  "node-behind",
  "node-blind",
  "other-chain",
  "lightning-away",
  "lightning-locked",
  "lightning-forbidden",
  "lightning-node-changed",
  "lightning-certificate",
  "lightning-clock",
  "lightning-other-node",
  "lightning-unfinished",
  "cannot-receive",
  "deliveries-failing",
  "secret-unreadable",
  "wallet-changed",
  "settings-weakened",
  "destination-not-authentic",
  "access-not-authentic",
  "rates-away",
  "queue-away",
  "gap-limit",
  "books-differ",
  "set-aside",
  "restored",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];
export const ALERT_SEVERITIES = ["info", "warning", "critical"] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

export const ALERT_CHANNELS = ["log", "ALERT_URL", "SMTP_URL", "owners", "members"] as const;
export type AlertChannelName = (typeof ALERT_CHANNELS)[number];

/** What an alert is about, for the code that ends or repeats it. */
export interface AlertDetails {
  /** `node-behind`: blocks that were passed over. */
  hole?: { fromHeight: number; toHeight: number };
  /** `set-aside`. */
  txid?: string;
  /** `rates-away`. */
  currency?: string;
  /** `settings-weakened`: all changes since it was opened. */
  weakened?: { settings: string[]; actors: ActorKind[]; changes: number };
}

/** For each channel the alerts that it has not accepted, so that a channel never reads what waits for another. */
const UNSENT = ["severity", "at", "id"];

/** A condition that a person has to know, open once for a subject. */
@Entity({ name: "alerts" })
@Index("alerts_open_subject", ["kind", "subject"], { unique: true, where: "resolved_at IS NULL" })
@Index("alerts_store", ["storeId", "at"])
@Index("alerts_open_store", ["storeId", "at"], { where: "resolved_at IS NULL" })
@Index("alerts_at", ["at", "id"])
@Index("alerts_unsent", ["at"], { where: "sent_at IS NULL" })
@Index("alerts_for_log", UNSENT, { where: "sent_at IS NULL AND 'log' <> ALL (accepted_by)" })
@Index("alerts_for_alert_url", UNSENT, { where: "sent_at IS NULL AND 'ALERT_URL' <> ALL (accepted_by)" })
@Index("alerts_for_smtp_url", UNSENT, { where: "sent_at IS NULL AND 'SMTP_URL' <> ALL (accepted_by)" })
@Index("alerts_for_owners", UNSENT, { where: "sent_at IS NULL AND 'owners' <> ALL (accepted_by)" })
@Index("alerts_for_members", UNSENT, { where: "sent_at IS NULL AND 'members' <> ALL (accepted_by)" })
@Index("alerts_ended", ["resolvedAt"], { where: "resolved_at IS NOT NULL" })
export class Alert {
  @PrimaryColumn({ type: "text" }) id: string;
  @Column({ type: "text" }) kind: AlertKind;
  @Column({ type: "text" }) severity: AlertSeverity;
  @Column({ type: "text" }) subject: string;
  @Column({ type: "text", nullable: true }) storeId: string | null;
  @Column({ type: "text", nullable: true }) invoiceId: string | null;
  @Column({ type: "text" }) message: string;
  @Column({ type: "jsonb", nullable: true }) details: AlertDetails | null;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) at: Date;
  @Column({ type: "timestamptz", nullable: true }) resolvedAt: Date | null;
  @Column({ type: "text", array: true, default: [] }) acceptedBy: AlertChannelName[];
  /** When the last channel accepted it; null until then. */
  @Column({ type: "timestamptz", nullable: true }) sentAt: Date | null;
}
