import type { CommandContext } from "../../commands/context";
import { pageOf } from "../../commands/payment-links/pay-link";
import type { PaymentLinkView } from "../../commands/payment-links/read-payment-link";

export function presentPaymentLink(ctx: CommandContext, { link, uses }: PaymentLinkView) {
  return {
    linkId: link.id,
    url: pageOf(ctx, link),
    description: link.description,
    currency: link.currency,
    amounts: link.amounts,
    minAmount: link.minAmount,
    maxAmount: link.maxAmount,
    redirectUrl: link.redirectUrl,
    orderPrefix: link.orderPrefix,
    maxUses: link.maxUses,
    maxPerDay: link.maxPerDay,
    endsAt: link.endsAt,
    uses,
    invoicesCreated: link.invoicesCreated,
    archived: link.archivedAt !== null,
    createdAt: link.createdAt,
  };
}
