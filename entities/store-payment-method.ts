import { Column, Entity, PrimaryColumn } from "typeorm";
import type { PaymentMethodType } from "../domain/invoice/status";

/** A payment method that a store offers. BTC-CHAIN has the wallet that its addresses come from, BTC-LN its node. */
@Entity({ name: "store_payment_methods" })
export class StorePaymentMethod {
  @PrimaryColumn({ type: "text" }) storeId: string;
  @PrimaryColumn({ type: "text" }) type: PaymentMethodType;
  @Column({ type: "text", nullable: true }) walletId: string | null;
  /** BTC-LN has one. */
  @Column({ type: "text", nullable: true }) lightningNodeId: string | null;
  /** Authenticates the link to the wallet (commands/wallets/wallet-link.ts); null where there is none. */
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
  @Column({ type: "timestamptz", default: () => "clock_timestamp()" }) createdAt: Date;
}
