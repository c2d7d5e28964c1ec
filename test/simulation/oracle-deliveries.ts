import type pg from "pg";
import type { Faults } from "./faults";
import type { Merchant } from "./merchant";
import type { Sale } from "./truth";

/** What shows what a merchant got, and whether something was in its way. */
export interface Deliveries {
  /** Sees the database as it is. */
  readonly eye: pg.Client;
  readonly merchant: Merchant;
  readonly faults: Faults;
  /** Events that the merchant asked for again, and how often. */
  readonly redelivered: ReadonlyMap<string, number>;
}

interface KeptDelivery {
  id: string;
  eventId: string;
  name: string;
  /** Null where retention has erased it. */
  body: Buffer | null;
  state: string;
  error: string | null;
}

/**
 * What the merchant got of a sale: each event at most once, and once more for each time that he asked for it, in order
 * where he did not, with the bytes that are kept.
 */
export async function judgeDeliveries(
  { eye, merchant, faults, redelivered }: Deliveries,
  sale: Sale,
): Promise<string[]> {
  const { invoiceId, orderId } = sale;
  const { rows } = await eye.query<KeptDelivery>(
    `SELECT d.id, e.id AS "eventId", e.type || '/' || e.additional_status AS name, e.body, d.state, d.error
       FROM invoice_events e LEFT JOIN webhook_deliveries d ON d.event_id = e.id
      WHERE e.invoice_id = $1 ORDER BY e.seq, d.id`,
    [invoiceId],
  );
  const wrong: string[] = [];
  const got = merchant.got.filter((each) => each.invoiceId === invoiceId);
  const places = new Map(rows.map(({ eventId }, place) => [eventId, place]));
  const times = new Map<string, number>();
  const attempts = new Set<string>();
  let last = -1;
  for (const { eventId, body, deliveryId, attempt } of got) {
    const place = places.get(eventId) ?? -1;
    const told = rows[place];
    if (told === undefined) wrong.push(`${orderId}: the merchant got event ${eventId}, which is not kept`);
    const asked = redelivered.get(eventId) ?? 0;
    const nth = (times.get(eventId) ?? 0) + 1;
    times.set(eventId, nth);
    if (nth > 1 + asked)
      wrong.push(`${orderId}: the merchant got ${told?.name} ${nth} times, and asked for it ${asked} times`);
    if (attempts.has(`${deliveryId} ${attempt}`))
      wrong.push(`${orderId}: the merchant got attempt ${attempt} of ${told?.name} twice`);
    attempts.add(`${deliveryId} ${attempt}`);
    if (told && asked === 0 && place < last) wrong.push(`${orderId}: the merchant got ${told.name} too late`);
    if (told && told.body?.equals(body) !== true)
      wrong.push(`${orderId}: ${told.name} was sent with other bytes`);
    if (asked === 0) last = Math.max(last, place);
  }
  for (const { name, state, error, body, eventId } of rows) {
    const [type, additionalStatus] = name.split("/");
    const metadata = { orderId };
    const text = body?.toString() ?? "erased";
    if (text !== JSON.stringify({ type, invoiceId, metadata, additionalStatus }))
      wrong.push(`${orderId}: the body of ${name} is ${text}`);
    const arrived = got.some((each) => each.eventId === eventId);
    if (state === "delivered" && !arrived)
      wrong.push(`${orderId}: ${name} is called delivered and did not arrive`);
    const excused = faults.costly || merchant.erred;
    if (state !== "delivered" && !excused)
      wrong.push(`${orderId}: ${name} is ${state} (${error ?? "no error"}), and nobody was in its way`);
  }
  return wrong;
}
