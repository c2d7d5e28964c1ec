import { createHash } from "node:crypto";
import { DomainError } from "../../domain/errors";
import { createdOn, type LinkStanding } from "../../domain/payment-link/standing";
import { isOffered } from "../../domain/payment-link/terms";
import { readTypedAmount } from "../../domain/payment-link/typed-amount";
import { Invoice } from "../../entities/invoice";
import { PaymentLink } from "../../entities/payment-link";
import type { CommandContext } from "../context";
import { createInvoiceOnce, type OnceAnswer, type TakeNumber } from "../invoices/create-invoice-once";
import { lockOpenedLink, type OpenedLink } from "./read-payment-link";

export type LinkRefusal = Exclude<LinkStanding, "open"> | "unreadable-amount" | "not-offered";

/** The link closed while the invoice was being created. */
class LinkClosedError extends Error {
  override readonly name = "LinkClosedError";
  constructor(readonly standing: Exclude<LinkStanding, "open">) {
    super(`the payment link is ${standing}`);
  }
}

/**
 * An anonymous customer's invoice; `key` is of the page that was shown: posted twice, with the same amount, it creates
 * one. The limits of the link are checked before anything is derived, and again in its transaction.
 * @throws DomainError as createInvoice and createInvoiceOnce do.
 */
export async function payLink(
  ctx: CommandContext,
  { link, standing }: OpenedLink,
  { typed, key }: { typed: string; key: string },
): Promise<{ invoiceId: string } | { refused: LinkRefusal }> {
  const amount = readTypedAmount(typed);
  if (amount === null) return { refused: "unreadable-amount" };
  try {
    if (!isOffered(link, amount)) return { refused: "not-offered" };
    const { id, currency, description } = link;
    const redirectUrl = link.redirectUrl ?? (link.amounts === null ? pageOf(ctx, link) : null);
    const input = {
      amount,
      currency,
      description,
      ...(redirectUrl === null ? {} : { redirectUrl }),
      // A page that is sent twice finds the invoice that closed the link.
      link: { id, check: () => refuseClosed(standing), takeNumber: numberOf(id) },
    };
    const requestHash = createHash("sha256").update(amount).digest();
    const create = (page: string): Promise<OnceAnswer> =>
      createInvoiceOnce(ctx, link.storeId, input, {
        key: `payment-link ${id} ${page} ${amount}`,
        requestHash,
        render: ({ invoice }) => invoice.id,
      });
    let made = await create(key);
    // A browser that went back shows its former page: its invoice must not pass for the next customer's.
    while (made.replayed && !(await isUnpaid(ctx, made.text))) made = await create(`${key} ${made.text}`);
    return { invoiceId: made.text };
  } catch (error) {
    if (error instanceof LinkClosedError) return { refused: error.standing };
    if (error instanceof DomainError && error.code === "validation-failed") return { refused: "not-offered" };
    throw error;
  }
}

function isUnpaid({ db }: CommandContext, id: string): Promise<boolean> {
  return db.manager.existsBy(Invoice, { id, status: "New", paidSats: 0n });
}

function refuseClosed(standing: LinkStanding): void {
  if (standing !== "open") throw new LinkClosedError(standing);
}

export const pageOf = ({ settings }: CommandContext, { id }: Pick<PaymentLink, "id">): string =>
  `${settings.publicUrl}/p/${id}`;

const numberOf =
  (linkId: string): TakeNumber =>
  async (tx) => {
    const { link, standing, today } = await lockOpenedLink(tx, linkId);
    refuseClosed(standing);
    const invoicesCreated = link.invoicesCreated + 1;
    await tx.manager.update(PaymentLink, linkId, {
      invoicesCreated,
      lastDay: today,
      createdThatDay: createdOn(link, today) + 1,
    });
    const orderId = `${link.orderPrefix}${invoicesCreated}`;
    return { orderId, metadata: JSON.stringify({ orderId, linkId }) };
  };
