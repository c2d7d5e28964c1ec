import { Column, Entity, PrimaryColumn } from "typeorm";
import type { MethodReason } from "../domain/invoice/method-reason";
import type { PaymentMethodType } from "../domain/invoice/status";

/** A payment method that an invoice offers. */
@Entity({ name: "invoice_payment_methods" })
export class InvoicePaymentMethod {
  @PrimaryColumn({ type: "text" }) invoiceId: string;
  @PrimaryColumn({ type: "text" }) type: PaymentMethodType;
  /** The address or the BOLT11; null when it does not exist (yet), and `reason` says why. */
  @Column({ type: "text", nullable: true }) destination: string | null;
  /**
   * Authenticates the destination (commands/wallets/destination-macs.ts). One that does not match it is never shown.
   */
  @Column({ type: "bytea", nullable: true }) mac: Buffer | null;
  @Column({ type: "boolean", default: true }) available: boolean;
  @Column({ type: "text", nullable: true }) reason: MethodReason | null;
}
