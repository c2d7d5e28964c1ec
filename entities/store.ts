import { Column, Entity, PrimaryColumn } from "typeorm";
import { sats } from "./transformers";

/** Invoices above `aboveSats` (judged on their due at creation) need `confirmations`. */
export interface ConfirmationTier {
  aboveSats: string;
  confirmations: number;
}

/** A merchant's store and the defaults of its invoices. */
@Entity({ name: "stores" })
export class Store {
  /** 44 base58 characters. */
  @PrimaryColumn({ type: "text" }) id: string;
  @Column({ type: "text" }) name: string;
  @Column({ type: "text", nullable: true }) website: string | null;
  @Column({ type: "text", nullable: true }) supportUrl: string | null;
  /** Address, tax number and the like, in lines: shown on receipts. */
  @Column({ type: "text", nullable: true }) sellerDetails: string | null;
  @Column({ type: "text", default: "BTC" }) defaultCurrency: string;
  /** IANA name: its days and months are those of the books. */
  @Column({ type: "text", default: "UTC" }) timeZone: string;
  @Column({ type: "integer", default: 900 }) expiresInSeconds: number;
  @Column({ type: "integer", default: 86_400 }) monitoringSeconds: number;
  /** Percent, 0 ≤ t < 100, as a decimal string. */
  @Column({ type: "numeric", precision: 7, scale: 4, default: 0 }) paymentTolerance: string;
  @Column({ type: "integer", default: 1 }) requiredConfirmations: number;
  @Column({ type: "jsonb", default: [] }) confirmationTiers: ConfirmationTier[];
  /** Zero confirmations are accepted up to this amount; null: never. */
  @Column({ type: "bigint", nullable: true, transformer: sats }) zeroConfMaxSats: bigint | null;
  /** A larger invoice is refused: a fuse against a wrong amount; null: none. */
  @Column({ type: "bigint", nullable: true, transformer: sats }) maxInvoiceSats: bigint | null;
  @Column({ type: "boolean", default: false }) redirectAutomatically: boolean;
  /** Customers may leave an address on the checkout. */
  @Column({ type: "boolean", default: false }) receiptsByMail: boolean;
  /** Percent taken off the exchange rate, 0 ≤ s < 100, as a decimal string: the customer pays that much more. */
  @Column({ type: "numeric", precision: 7, scale: 4, default: 0 }) rateSpread: string;
  /** Names of the sources that rates may come from; null: all that the server asks. */
  @Column({ type: "text", array: true, nullable: true }) rateSources: string[] | null;
  @Column({ type: "text", nullable: true }) logoUrl: string | null;
  /** `#rrggbb` */
  @Column({ type: "text", nullable: true }) brandColor: string | null;
  /** Whose pages may frame the checkout: origins as browsers write them. */
  @Column({ type: "text", array: true, default: [] }) checkoutOrigins: string[];
  /** BOLT11s carry hints to the node's private channels. */
  @Column({ type: "boolean", default: false }) privateRouteHints: boolean;
  /** An invoice's address is allocated when its page is first opened, not when it is created. */
  @Column({ type: "boolean", default: false }) lazyAddresses: boolean;
  /** API keys may replace, move and remove the wallet. Only the dashboard sets it. */
  @Column({ type: "boolean", default: false }) walletChangesByKey: boolean;
  /** Authenticates `walletChangesByKey` while it is on (commands/server/authentic-rows.ts). */
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
  @Column({ type: "timestamptz", nullable: true }) archivedAt: Date | null;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) createdAt: Date;
}
