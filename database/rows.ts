import type { DataSource, EntityManager } from "typeorm";
import { DomainError } from "../domain/errors";
import { type Calendar, calendarIn, type Day, isDay } from "../domain/time-zone";
import { Invoice } from "../entities/invoice";
import { Store } from "../entities/store";

// Rows that a caller names. A lock is held until the transaction ends; several are taken in the order of their ids, so
// that two processes never deadlock.

/** @throws DomainError `store-not-found`. */
export async function readStore({ db }: { db: DataSource }, storeId: string): Promise<Store> {
  const store = await db.manager.findOneBy(Store, { id: storeId });
  if (store === null) throw storeNotFound();
  return store;
}

/** In the store's time zone. @throws DomainError `store-not-found`. */
export async function readCalendar(from: { db: DataSource }, storeId: string): Promise<Calendar> {
  return calendarIn((await readStore(from, storeId)).timeZone);
}

/** RFC 3339, exclusive at its end; or days in the store's time zone, both included. */
interface TimeSpan {
  from: string | undefined;
  to: string | undefined;
}

/** With instants instead of days. @throws DomainError `store-not-found`. */
export async function readTimeSpan(
  at: { db: DataSource },
  storeId: string,
  { from, to }: TimeSpan,
): Promise<TimeSpan> {
  const named = (time: string | undefined): time is Day => time !== undefined && isDay(time);
  if (!named(from) && !named(to)) return { from, to };
  const { startOf, endOf } = await readCalendar(at, storeId);
  return {
    from: named(from) ? startOf(from).toISOString() : from,
    to: named(to) ? endOf(to).toISOString() : to,
  };
}

/** @throws DomainError `store-not-found`. */
export async function lockStore(manager: EntityManager, storeId: string): Promise<Store> {
  const store = await manager.findOne(Store, {
    where: { id: storeId },
    lock: { mode: "for_no_key_update" },
  });
  if (store === null) throw storeNotFound();
  return store;
}

function storeNotFound(): DomainError {
  return new DomainError("store-not-found", "Store not found.");
}

/**
 * With all columns.
 * @throws DomainError `invoice-not-found`, also for an invoice of another store if a store is given.
 */
export async function lockInvoice(
  manager: EntityManager,
  invoiceId: string,
  storeId?: string,
): Promise<Invoice> {
  const lock = { mode: "pessimistic_write" } as const;
  const where = { id: invoiceId, ...(storeId === undefined ? {} : { storeId }) };
  const invoice = await manager.findOne(Invoice, { where, lock });
  if (!invoice) throw invoiceNotFound();
  return invoice;
}

export function invoiceNotFound(): DomainError {
  return new DomainError("invoice-not-found", "Invoice not found.");
}
