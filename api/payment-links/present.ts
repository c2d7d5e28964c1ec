import type { CommandContext } from "../../commands/context";
import { pageOf } from "../../commands/payment-links/pay-link";
import type { PaymentLinkView } from "../../commands/payment-links/read-payment-link";
import { presenter } from "../http/presenter";
import { paymentLinkAnswer } from "./answer";

const shown = presenter(paymentLinkAnswer);

export const presentPaymentLink = (ctx: CommandContext, { link, uses }: PaymentLinkView) =>
  shown(link, { linkId: link.id, url: pageOf(ctx, link), uses, archived: link.archivedAt !== null });
