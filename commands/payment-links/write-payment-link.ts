import { invalidField } from "../../domain/errors";
import { checkPrice, type LinkPrice } from "../../domain/payment-link/terms";
import { PaymentLink } from "../../entities/payment-link";
import type { CommandContext } from "../context";
import { lockStore } from "../../database/rows";
import { checkLimit } from "../stores/limits";
import { writeAudit } from "../server/write-audit";
import { inTransaction } from "../transaction";
import { lockLink, type PaymentLinkView, viewOf } from "./read-payment-link";

const LINKS_MAX = 1_000;
/** From the link's id, so that the order ids of two links differ. */
const PREFIX_LENGTH = 6;

interface Settings extends Omit<LinkPrice, "amounts"> {
  description: string;
  amounts: string[] | null;
  redirectUrl: string | null;
  /** 1 to 10,000; null: no limit. */
  maxUses: number | null;
  /** 1 to 10,000. */
  maxPerDay: number;
  endsAt: Date | null;
}
export type PaymentLinkInput = Pick<Settings, "description" | "currency" | "maxPerDay"> &
  Partial<Settings> & { orderPrefix?: string };
export type PaymentLinkChanges = Partial<Omit<Settings, "currency">>;

/** @throws DomainError `store-not-found`, `limit-reached`; `validation-failed` at the field that is wrong. */
export async function createPaymentLink(
  ctx: CommandContext,
  storeId: string,
  input: PaymentLinkInput,
): Promise<PaymentLinkView> {
  const id = ctx.newId("lnk");
  const settings = {
    amounts: null,
    minAmount: null,
    maxAmount: null,
    orderPrefix: `${id.slice(-PREFIX_LENGTH)}-`,
    redirectUrl: null,
    maxUses: null,
    endsAt: null,
    ...input,
  };
  checkPrice(settings);
  return inTransaction(ctx, async (tx) => {
    await lockStore(tx.manager, storeId);
    checkLimit(await tx.manager.countBy(PaymentLink, { storeId }), LINKS_MAX, "payment links");
    const createdAt = await tx.now();
    checkEnd(settings.endsAt, createdAt);
    const link = tx.manager.create(PaymentLink, {
      ...settings,
      id,
      storeId,
      invoicesCreated: 0,
      lastDay: null,
      createdThatDay: 0,
      archivedAt: null,
      createdAt,
    });
    await tx.manager.insert(PaymentLink, link);
    await writeAudit(tx, {
      action: "payment-link.created",
      storeId,
      subject: id,
      details: settings,
    });
    return viewOf(tx, link);
  });
}

/**
 * For invoices that are created from now on. A new price replaces the old one as a whole.
 * @throws DomainError `payment-link-not-found`; `validation-failed` at the field that is wrong.
 */
export async function changePaymentLink(
  ctx: CommandContext,
  storeId: string,
  linkId: string,
  changes: PaymentLinkChanges,
): Promise<PaymentLinkView> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockLink(tx, { id: linkId, storeId });
    if (Object.keys(changes).length === 0) return viewOf(tx, before);
    const link = tx.manager.create(PaymentLink, { ...before, ...changes });
    checkPrice(link);
    if (changes.endsAt?.getTime() !== before.endsAt?.getTime())
      checkEnd(changes.endsAt ?? null, await tx.now());
    await tx.manager.update(PaymentLink, linkId, changes);
    await writeAudit(tx, {
      action: "payment-link.changed",
      storeId,
      subject: linkId,
      details: changes,
    });
    return viewOf(tx, link);
  });
}

/** Idempotent. An archived one takes no payments; its invoices stay as they are. */
export async function archivePaymentLink(
  ctx: CommandContext,
  storeId: string,
  linkId: string,
  archived: boolean,
): Promise<PaymentLinkView> {
  return inTransaction(ctx, async (tx) => {
    const link = await lockLink(tx, { id: linkId, storeId });
    if ((link.archivedAt !== null) === archived) return viewOf(tx, link);
    const archivedAt = archived ? await tx.now() : null;
    await tx.manager.update(PaymentLink, linkId, { archivedAt });
    const action = archived ? "payment-link.archived" : "payment-link.unarchived";
    await writeAudit(tx, { action, storeId, subject: linkId });
    return viewOf(tx, tx.manager.create(PaymentLink, { ...link, archivedAt }));
  });
}

/** Its invoices stay. @throws DomainError `payment-link-not-found`. */
export async function deletePaymentLink(ctx: CommandContext, storeId: string, linkId: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const { description } = await lockLink(tx, { id: linkId, storeId });
    await tx.manager.delete(PaymentLink, linkId);
    await writeAudit(tx, {
      action: "payment-link.deleted",
      storeId,
      subject: linkId,
      details: { description },
    });
  });
}

function checkEnd(endsAt: Date | null, now: Date): void {
  if (endsAt !== null && endsAt <= now) throw invalidField("/endsAt", "Must be in the future.");
}
