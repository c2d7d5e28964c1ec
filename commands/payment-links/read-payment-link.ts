import type { EntityManager } from "typeorm";
import { readPage, type Page, type PageRequest } from "../../database/pagination";
import { DomainError } from "../../domain/errors";
import { standingOf } from "../../domain/payment-link/standing";
import { calendarIn } from "../../domain/time-zone";
import { PaymentLink } from "../../entities/payment-link";
import { Store } from "../../entities/store";
import type { CommandContext } from "../context";
import { type Reading, reading, type Tx } from "../transaction";
import { countUses } from "./queries";

const LINK_ID = /^lnk_[1-9A-HJ-NP-Za-km-z]{22,64}$/;

export interface PaymentLinkView {
  link: PaymentLink;
  /** Null without a limit: they are not counted. */
  uses: number | null;
}

/** A store's, newest first. @throws DomainError `validation-failed` at `/cursor`. */
export async function listPaymentLinks(
  { db }: CommandContext,
  storeId: string,
  page: PageRequest,
): Promise<Page<PaymentLinkView>> {
  const query = db.createQueryBuilder(PaymentLink, "link").where("link.storeId = :storeId", { storeId });
  const { items, nextCursor } = await readPage(query, page);
  return { items: await withUses(db.manager, items), nextCursor };
}

/** @throws DomainError `payment-link-not-found`, also for one of another store. */
export async function readPaymentLink(
  { db: { manager } }: CommandContext,
  storeId: string,
  linkId: string,
): Promise<PaymentLinkView> {
  return viewOf({ manager }, found(await manager.findOneBy(PaymentLink, { id: linkId, storeId })));
}

export type OpenedLink = Awaited<ReturnType<typeof standingNow>>;

/** For everybody who has its id. @throws DomainError `payment-link-not-found`. */
export async function openPaymentLink(ctx: CommandContext, linkId: string): Promise<OpenedLink> {
  const read = reading(ctx);
  const link = LINK_ID.test(linkId) ? await read.manager.findOneBy(PaymentLink, { id: linkId }) : null;
  return standingNow(read, found(link));
}

/** Held until the transaction ends: simultaneous customers wait. @throws as `openPaymentLink` does. */
export const lockOpenedLink = async (tx: Tx, linkId: string): Promise<OpenedLink> =>
  standingNow(tx, await lockLink(tx, { id: linkId }));

/** @throws DomainError `payment-link-not-found`. */
export async function lockLink(
  { manager }: Tx,
  where: { id: string; storeId?: string },
): Promise<PaymentLink> {
  return found(await manager.findOne(PaymentLink, { where, lock: { mode: "for_no_key_update" } }));
}

async function standingNow(read: Reading, link: PaymentLink) {
  const store = await read.manager.findOneByOrFail(Store, { id: link.storeId });
  const { uses } = await viewOf(read, link);
  const now = await read.now();
  const today = calendarIn(store.timeZone).dayOf(now);
  const facts = { storeArchived: store.archivedAt !== null, uses: uses ?? 0, now, today };
  return { link, store, standing: standingOf(link, facts), today };
}

export async function viewOf(
  { manager }: Pick<Reading, "manager">,
  link: PaymentLink,
): Promise<PaymentLinkView> {
  const [view] = await withUses(manager, [link]);
  return view ?? { link, uses: null };
}

async function withUses(manager: EntityManager, links: readonly PaymentLink[]): Promise<PaymentLinkView[]> {
  const limited = links.filter(({ maxUses }) => maxUses !== null).map(({ id }) => id);
  const { rows } = limited.length === 0 ? { rows: [] } : await countUses(manager, limited);
  const usesOf = new Map(rows.map(({ linkId, uses }) => [linkId, uses]));
  return links.map((link) => ({ link, uses: link.maxUses === null ? null : (usesOf.get(link.id) ?? 0) }));
}

function found(link: PaymentLink | null): PaymentLink {
  if (link === null) throw new DomainError("payment-link-not-found", "There is no such payment link.");
  return link;
}
