import {
  believableSince,
  type Coin,
  coinsOfSale,
  isLightning,
  type Networks,
  type Sale,
  type Sums,
  sumsOf,
  trueSince,
} from "./truth";
import { type Deliveries, judgeDeliveries } from "./oracle-deliveries";
import type { Mark } from "../../domain/invoice/status";
import type { SimulatedClock } from "./clock";
import type { SimulatedQueue } from "./queue";

/** What is judged. */
interface Judged extends Networks, Deliveries {
  readonly risky: Set<string>;
  readonly sales: readonly Sale[];
  readonly queue: SimulatedQueue;
  readonly clock: SimulatedClock;
  /** When the service's node last lost its peers, or was stopped. */
  readonly lostMs: number;
  tell(what: string): void;
}

interface ToldEvent {
  seq: string;
  invoiceId: string;
  name: string;
  atMs: number;
}

interface Look {
  events: ToldEvent[];
  /** Payments, of invoices that require no confirmation, that were first found in the mempool or have to wait for one. */
  unconfirmed: { txid: string; required: number }[];
  inGap: boolean;
  checkedMs: number | null;
  /** When the node was last read, and its peers counted. */
  readMs: number | null;
  nowMs: string;
  /** Until when Lightning nodes are followed. */
  followed: { id: string; ms: number }[];
}
/** All that is read after each step, at once: there are more steps than anything else. */
const LOOK = `
  SELECT last_value AS "nowMs",
         (SELECT extract(epoch FROM caught_up_to)::float8 * 1000 FROM payment_method_syncs
           WHERE type = 'BTC-CHAIN') AS "checkedMs",
         (SELECT extract(epoch FROM checked_at)::float8 * 1000 FROM payment_method_syncs
           WHERE type = 'BTC-CHAIN') AS "readMs",
         EXISTS (SELECT FROM chain_gaps WHERE closed_at IS NULL) AS "inGap",
         (SELECT coalesce(json_agg(json_build_object('id', id, 'ms', extract(epoch FROM caught_up_to)::float8 * 1000)), '[]')
            FROM lightning_nodes WHERE caught_up_to IS NOT NULL) AS followed,
         (SELECT coalesce(json_agg(json_build_object('txid', txid, 'required', p.required_confirmations)), '[]')
            FROM payments p JOIN invoices i ON i.id = p.invoice_id
           WHERE i.required_confirmations = 0 AND p.txid IS NOT NULL AND p.txid <> ALL ($3)
             AND (p.required_confirmations > 0 OR coalesce(p.block_height::text, p.left_block_at::text) IS NULL)) AS unconfirmed,
         (SELECT coalesce(json_agg(json_build_object(
                   'seq', seq::text, 'invoiceId', invoice_id, 'name', type || '/' || additional_status,
                   'atMs', extract(epoch FROM created_at)::float8 * 1000) ORDER BY seq), '[]')
            FROM invoice_events WHERE seq > $1 AND seq <> ALL ($2::bigint[])) AS events
    FROM simulated.milliseconds`;

/** Row by row of the specification's table: which event may follow which. */
const MAY_FOLLOW: Readonly<Record<string, readonly string[]>> = {
  "": ["New/None"],
  "New/None": ["Processing/None", "Settled/None", "Settled/Overpaid", "Expired/None", "Expired/Underpaid"],
  // Going back to New has no event.
  "Processing/None": [
    "Processing/None",
    "Settled/None",
    "Settled/Overpaid",
    "Expired/None",
    "Expired/Underpaid",
    "Invalid/None",
  ],
  "Settled/None": ["Settled/Overpaid", "Invalid/None"],
  "Settled/Overpaid": ["Invalid/None"],
  "Settled/PaidAfterExpiration": ["Invalid/None"],
  "Expired/None": ["Expired/Underpaid", "Settled/PaidAfterExpiration"],
  "Expired/Underpaid": ["Settled/PaidAfterExpiration"],
  "Invalid/None": ["Settled/PaidAfterExpiration"],
};
/** Numbers that are taken by transactions under way at one time. */
const MAY_BE_LATER = 100;
/** A conflict in the mempool that is first seen after the expiry is believed after ten minutes. */
const BELIEVED_MS = 605_000;
/** So long after the last complete check of the chain nothing is final without a confirmation. */
const CHECKED_WITHIN_MS = 15_000;
/** Payments in a message. */
const SHOWN = 5;
/** A payment that left a block has so long to be mined again. */
const MINED_AGAIN_WITHIN_MS = 86_400_000;
/** EXPIRY_HOLD_MINUTES */
const HELD_MS = 3_600_000;
const MAY_COME_AGAIN = ["Processing/None", "Invalid/None", "Settled/PaidAfterExpiration"];

/**
 * The world's judge, by the product's specification and the network's truth. It reads what the service sends and
 * stores.
 */
export class Oracle {
  /** Names of an invoice's events, in order. */
  readonly told = new Map<string, string[]>();
  /** When an invoice's last event was sent. */
  private readonly toldMs = new Map<string, number>();
  private readonly heard = new Set<string>();
  /** Until when a Lightning node was followed. */
  private readonly followedMs = new Map<string, number>();
  private lastSeq = 0;
  /** The service's last complete check of the chain had begun by then, before what is heard next was done. */
  private checkedMs = 0;
  /** At the last look: whether a conflict may have been missed. */
  private mayMiss = true;
  private readonly unconfirmed = new Set<string>();
  private looking: Promise<void> = Promise.resolve();

  constructor(private readonly world: Judged) {}

  /** After each step: every event of the step must be true. */
  look(): Promise<void> {
    return (this.looking = this.looking.then(() => this.lookNow()));
  }

  private async lookNow(): Promise<void> {
    const { eye, clock, lostMs } = this.world;
    // What has a lower number may be committed later.
    const since = this.lastSeq - MAY_BE_LATER;
    for (const seq of this.heard) if (Number(seq) <= since) this.heard.delete(seq);
    const values = [since, [...this.heard], [...this.unconfirmed]];
    const { rows } = await eye.query<Look>({ name: "look", text: LOOK, values });
    const { events, checkedMs, readMs, nowMs, unconfirmed, inGap, followed } = rows[0] as Look;
    for (const each of followed) this.judgeFollowed(each);
    const mayHaveMissed = inGap || Number(nowMs) - this.checkedMs > CHECKED_WITHIN_MS;
    for (const each of unconfirmed) this.judgeUnconfirmed(each, mayHaveMissed);
    for (const event of events) this.hear(event);
    clock.nowMs = Number(nowMs);
    // Written before the clock was set back, it says nothing.
    this.checkedMs = checkedMs === null || checkedMs > clock.nowMs ? 0 : checkedMs;
    const isLossKnown = readMs !== null && readMs > lostMs && this.checkedMs <= lostMs;
    this.mayMiss = inGap || isLossKnown || clock.nowMs - this.checkedMs > CHECKED_WITHIN_MS;
    await this.seeBolt11s();
  }

  /** At any moment: a new BOLT11 is given to nobody while LND takes money for one that was. */
  private async seeBolt11s(): Promise<void> {
    const { eye, lnds, forgotten, reopened, openSales } = this.world;
    if (lnds.length === 0 || openSales.length === 0) return;
    const { rows } = await eye.query<{ hash: string; invoiceId: string }>({
      name: "bolt11s",
      text: `SELECT payment_hash AS hash, invoice_id AS "invoiceId" FROM bolt11s
              WHERE bolt11 IS NOT NULL AND invoice_id = ANY($1)`,
      values: [openSales.map(({ invoiceId }) => invoiceId)],
    });
    const undone = new Set([...forgotten.map(({ paymentHash }) => paymentHash), ...reopened]);
    const payable = lnds
      .flatMap(({ core }) => core.book.addedAfter(0))
      .filter(({ paymentHash, state }) => ["OPEN", "ACCEPTED"].includes(state) && !undone.has(paymentHash));
    const taken = new Set(payable.map(({ paymentHash }) => paymentHash));
    for (const { invoiceId, orderId } of openSales) {
      const given = rows.filter((row) => row.invoiceId === invoiceId && taken.has(row.hash));
      if (given.length > 1)
        throw new Error(`${orderId}: LND takes money for ${given.length} BOLT11s at once`);
    }
  }

  /** A payment is final without a confirmation only where the service would have seen a conflict. */
  private judgeUnconfirmed({ txid, required }: Look["unconfirmed"][number], mayHaveMissed: boolean): void {
    this.unconfirmed.add(txid);
    const { risky } = this.world;
    if (required === 0 && this.mayMiss)
      throw new Error(`${txid} is final without a confirmation, and a conflict may have been missed`);
    if (required > 0 && !risky.has(txid) && !this.mayMiss && !mayHaveMissed)
      throw new Error(`${txid} waits for a confirmation, and nothing was missed`);
    if (required > 0) risky.add(txid);
  }

  /** Who led before may report late, and is not believed. */
  private judgeFollowed({ id, ms }: Look["followed"][number]): void {
    if (ms < (this.followedMs.get(id) ?? 0)) throw new Error(`${id} was followed further than is said now`);
    this.followedMs.set(id, ms);
  }

  /** The last event of a sale. */
  lastOf({ invoiceId }: Sale): string {
    return this.told.get(invoiceId)?.at(-1) ?? "";
  }

  /** Whether a mark whose answer was lost is kept. */
  async isMarked({ invoiceId }: Sale, to: Mark): Promise<boolean> {
    const { rows } = await this.world.eye.query(
      "SELECT 1 FROM invoices WHERE id = $1 AND marked_by_hand = $2",
      [invoiceId, to],
    );
    return rows.length > 0;
  }

  /** Null where the service has processed all blocks. */
  async whyNotAtTip(): Promise<string | null> {
    const { rows } = await this.world.eye.query<{ hash: string }>(
      "SELECT hash FROM chain_blocks ORDER BY height DESC LIMIT 1",
    );
    return rows[0]?.hash === this.world.node.core.chain.tip.hash ? null : "the cursor is not at the tip";
  }

  /** Why something is still under way; empty when all is done. */
  async whyNotAtRest(): Promise<string[]> {
    const { eye, queue, lnds } = this.world;
    const { rows } = await eye.query<{ what: string }>(
      `SELECT 'delivery ' || id || ' of ' || invoice_id || ' is ' || state AS what FROM webhook_deliveries
        WHERE state IN ('pending', 'queued', 'sending')
       UNION ALL SELECT 'decision of ' || id || ' is due' FROM invoices
        WHERE decide_at <= to_timestamp($1::float8 / 1000) AND NOT expiry_held
       UNION ALL SELECT 'expiry of ' || id || ' is held' FROM invoices WHERE expiry_held
       UNION ALL SELECT 'transaction ' || txid || ' is set aside: ' || error FROM set_aside
       UNION ALL SELECT 'the cursor of ' || node_id || ' is at ' || settle_index || ', not ' || settled.last
         FROM lightning_cursors JOIN unnest($2::text[], $3::bigint[]) AS settled (node_key, last) USING (node_key)
        WHERE settle_index < settled.last
          AND (gap_since IS NULL OR gap_since < to_timestamp($1::float8 / 1000) - interval '11 minutes')
       UNION ALL SELECT 'a BOLT11 of ' || coalesce(invoice_id, 'none') || ' is wanted or to be cancelled' FROM bolt11s
        WHERE state = 'wanted' OR (state = 'open' AND cancel_wanted)
       UNION ALL SELECT 'the access to ' || id || ', which is not used any more, is kept' FROM lightning_nodes
        WHERE macaroon IS NOT NULL AND retired_at < to_timestamp($1::float8 / 1000) - interval '11 minutes'`,
      [
        this.world.clock.nowMs - 5_000,
        lnds.map(({ nodeKey }) => nodeKey),
        lnds.map(({ core }) => core.book.settledAfter(0).at(-1)?.settleIndex ?? 0),
      ],
    );
    const tip = await this.whyNotAtTip();
    return [
      ...(tip === null ? [] : [tip]),
      ...rows.map(({ what }) => what),
      ...queue.due().map((job) => `job ${job} waits`),
    ];
  }

  /** At rest: all of the open sales, and of all invoices what concerns them together. Answers what is wrong. */
  async judge(): Promise<string[]> {
    const wrong = (await this.whyNotAtRest()).map((why) => `not at rest: ${why}`);
    for (const sale of this.world.openSales) {
      const coins = coinsOfSale(this.world, sale);
      wrong.push(...(await this.judgeStatus(sale, coins)));
      wrong.push(...(await this.judgeMoney(sale, coins)));
      wrong.push(...(await this.judgeAlerts(sale, sumsOf(coins, sale))));
      wrong.push(...(await this.judgeBolt11s(sale)));
      wrong.push(...(await judgeDeliveries(this.world, sale)));
    }
    return [...wrong, ...(await this.judgeAll())];
  }

  private hear({ seq, invoiceId, name, atMs }: ToldEvent): void {
    const before = this.told.get(invoiceId) ?? [];
    const beforeMs = this.toldMs.get(invoiceId) ?? 0;
    this.told.set(invoiceId, [...before, name]);
    this.toldMs.set(invoiceId, atMs);
    this.heard.add(seq);
    this.lastSeq = Math.max(this.lastSeq, Number(seq));
    const sale = this.world.openSales.find((each) => each.invoiceId === invoiceId);
    this.world.tell(`the service tells ${name} of ${sale?.orderId ?? invoiceId}`);
    if (sale?.marking && name === `${sale.marking}/None`) {
      // A merchant's word needs no truth, and what follows is by hand.
      sale.mark = sale.marking;
      return;
    }
    const wrong = [
      ...whyNotAfter(before, name, sale?.mark ?? null),
      ...(sale ? whyNotTrue(sale, { name, atMs, before, beforeMs, checkedMs: this.checkedMs }) : []),
    ];
    if (wrong.length > 0) throw new Error(`${sale?.orderId ?? invoiceId}: ${wrong.join("; ")}`);
  }

  private async judgeStatus(sale: Sale, coins: readonly Coin[]): Promise<string[]> {
    const { rows } = await this.world.eye.query<{ status: string; paid: string; confirmed: string }>(
      `SELECT status || '/' || additional_status AS status, paid_sats AS paid, confirmed_sats AS confirmed
         FROM invoices WHERE id = $1`,
      [sale.invoiceId],
    );
    const [row] = rows;
    if (row === undefined) return [`${sale.orderId} was answered and is not kept`];
    const expected = statusOf(sale, coins, this.told.get(sale.invoiceId) ?? [], this.world.clock.nowMs);
    const { orderId } = sale;
    const sums = sumsOf(coins, sale);
    return [
      ...(expected.includes(row.status)
        ? []
        : [`${orderId} is ${row.status}, and should be ${expected.join(" or ")}`]),
      ...(BigInt(row.paid) === sums.counted ? [] : [`${orderId} says ${row.paid} paid, not ${sums.counted}`]),
      ...(BigInt(row.confirmed) === sums.confirmed
        ? []
        : [`${orderId} says ${row.confirmed} confirmed, not ${sums.confirmed}`]),
    ];
  }

  private async judgeMoney({ invoiceId, orderId }: Sale, coins: readonly Coin[]): Promise<string[]> {
    const { rows } = await this.world.eye.query<{ id: string; sats: string; state: string }>(
      `SELECT id, amount_sats AS sats, state FROM payments
        WHERE invoice_id = $1 AND state IN ('pending', 'confirmed')`,
      [invoiceId],
    );
    const kept = rows.map(({ id, sats, state }) => `${id} ${sats} ${state}`).sort();
    const real = coins
      .map(({ id, sats, confirmed }) => `${id} ${sats} ${confirmed ? "confirmed" : "pending"}`)
      .sort();
    if (kept.join() === real.join()) return [];
    const only = (some: readonly string[], others: readonly string[]): string => {
      const known = new Set(others);
      const odd = some.filter((each) => !known.has(each));
      return `[${odd.slice(0, SHOWN).join(", ")}${odd.length > SHOWN ? `, and ${odd.length - SHOWN} more` : ""}]`;
    };
    return [`${orderId} keeps the payments ${only(kept, real)}, and the network has ${only(real, kept)}`];
  }

  /** A merchant who may have given the goods away is warned when the money is not there any more. */
  private async judgeAlerts(
    { invoiceId, orderId, minDueSats, required }: Sale,
    { confirmed, counted }: Sums,
  ): Promise<string[]> {
    // What was settled without a confirmation may wait for one when its fee was raised.
    if ((required === 0 ? counted : confirmed) >= minDueSats) return [];
    const { rows } = await this.world.eye.query(
      `SELECT 1 FROM invoices i WHERE i.id = $1 AND i.status = 'Settled' AND i.marked_by_hand IS NULL
          AND NOT EXISTS (SELECT FROM alerts a WHERE a.invoice_id = i.id AND a.kind IN ('reorganisation', 'double-spend'))`,
      [invoiceId],
    );
    return rows.length === 0
      ? []
      : [`${orderId} is Settled with ${confirmed} confirmed, and nobody is alerted`];
  }

  /** Nobody can pay twice, or late: LND takes money for the BOLT11 alone that is shown, while the invoice is New, and for that it does. */
  private async judgeBolt11s({ invoiceId, orderId, expiresMs, shop }: Sale): Promise<string[]> {
    const { eye, forgotten, reopened } = this.world;
    if (shop.nodes.length === 0) return [];
    // What a restored LND does not know to be paid, or canceled: LND says nothing of that.
    const undone = new Set([...forgotten.map(({ paymentHash }) => paymentHash), ...reopened]);
    const { rows } = await eye.query<{ hash: string; given: boolean; payable: boolean }>(
      `SELECT b.payment_hash AS hash, b.bolt11 IS NOT NULL AS given,
              i.status = 'New' AND b.bolt11 IS NOT DISTINCT FROM m.destination AS payable
         FROM bolt11s b JOIN invoices i ON i.id = b.invoice_id
         LEFT JOIN invoice_payment_methods m ON m.invoice_id = i.id AND m.type = 'BTC-LN'
        WHERE i.id = $1`,
      [invoiceId],
    );
    const stateOf = (hash: string) =>
      shop.nodes.map(({ core }) => core.book.look(hash)).find((known) => known !== null)?.state ?? "CANCELED";
    const dead = rows.filter(
      ({ hash, payable }) => payable && this.world.clock.nowMs < expiresMs && stateOf(hash) === "CANCELED",
    );
    const unwanted = rows
      .filter(
        // Nobody has the text of one that was made for nothing: its answer was lost, and then it was not needed.
        ({ hash, given, payable }) => given && !payable && !undone.has(hash) && stateOf(hash) === "OPEN",
      )
      .map(({ hash }) => `${orderId}: LND still takes money for ${hash.slice(0, 8)}`);
    return [
      ...unwanted,
      ...dead.map(({ hash }) => `${orderId} shows ${hash.slice(0, 8)}, which LND refuses`),
    ];
  }

  private async judgeAll(): Promise<string[]> {
    const { rows } = await this.world.eye.query<{ what: string }>(
      `SELECT 'order ' || order_id || ' has ' || count(*) || ' invoices' AS what FROM invoices
        GROUP BY store_id, order_id HAVING count(*) > 1
       UNION ALL SELECT 'a script is watched for ' || count(*) || ' invoices' FROM watched_scripts
        GROUP BY script_pub_key HAVING count(*) > 1
       UNION ALL SELECT destination || ' is given to ' || count(*) || ' invoices' FROM invoice_payment_methods
        WHERE destination IS NOT NULL GROUP BY destination HAVING count(*) > 1
       UNION ALL SELECT 'the cursor of ' || node_id || ' is that of ' || n.id FROM lightning_cursors
         JOIN lightning_nodes n USING (node_key) WHERE n.id <> node_id
       UNION ALL SELECT 'outpoint of ' || count(*) || ' invoices: ' || id FROM payments GROUP BY id HAVING count(*) > 1`,
    );
    const addresses = this.world.sales.flatMap(({ address }) => address ?? []);
    const twice = addresses.length - new Set(addresses).size;
    return [
      ...rows.map(({ what }) => what),
      ...(twice > 0 ? [`${twice} addresses were answered twice`] : []),
    ];
  }
}

function whyNotAfter(before: readonly string[], name: string, mark: Mark | null): string[] {
  const last = before.at(-1) ?? "";
  // Nothing but excess changes what is marked by hand.
  if (mark !== null && name !== "Settled/Overpaid")
    return [`${name} is told of what is marked ${mark} by hand`];
  const wrong = MAY_FOLLOW[last]?.includes(name) ? [] : [`${name} is told after ${last || "nothing"}`];
  if (before.includes(name) && !MAY_COME_AGAIN.includes(name)) wrong.push(`${name} is told twice`);
  return wrong;
}

const wasLate = (told: readonly string[]): boolean => told.some((name) => /^(Expired|Invalid)/.test(name));

/**
 * What an event says must be true at that moment, or believable since the last complete check of the chain began: what happened
 * after that the service need not know, in whole or in part. Before it expires an invoice it has to check; a payment that is taken back after
 * the expiry counts for ten minutes more.
 */
function whyNotTrue(
  sale: Sale,
  {
    name,
    atMs,
    before,
    beforeMs,
    checkedMs,
  }: { name: string; atMs: number; before: readonly string[]; beforeMs: number; checkedMs: number },
): string[] {
  const { minDueSats, dueSats, expiresMs } = sale;
  const { least } = trueSince(sale, checkedMs);
  const most = believableSince(sale, checkedMs, atMs);
  const believed = atMs < expiresMs ? most : believableSince(sale, checkedMs - BELIEVED_MS, atMs);
  const unmined = mayEndUnmined(sale, before, atMs, checkedMs);
  const atExpiry = trueSince(sale, Math.max(checkedMs, expiresMs)).least;
  const ever = trueSince(sale, 0).most;
  const [status, additional] = name.split("/");
  const wrong: string[] = [];
  const claim = (holds: boolean, words: string): void =>
    void (holds || wrong.push(`${name} is told ${words}`));
  if (status === "Settled" && !(sale.blind && sale.required === 0)) {
    claim(most.confirmed >= minDueSats, `and ${most.confirmed} of ${minDueSats} were confirmed`);
    const late = sale.mark === null && wasLate(before);
    claim((additional === "PaidAfterExpiration") === late, `after ${before.join(", ")}`);
    if (additional === "Overpaid")
      claim(
        (sale.blind ? most.confirmed : most.confirmedInWindow) > dueSats,
        "and it is no more than the price",
      );
  }
  if (status === "Processing" && !sale.blind) {
    claim(believed.inTime >= minDueSats, `and ${believed.inTime} were paid in time`);
    if (before.at(-1) === name)
      claim(
        trueSince(sale, beforeMs).least.inTime < minDueSats,
        "again, and the price was paid all the time",
      );
  }
  if (status === "Expired") {
    claim(atMs >= expiresMs, "before its time is up");
    // Longer only a loss is held, and of what a reorganisation took out of its block again the service's node may never hear.
    const isHeld = atMs < expiresMs + HELD_MS || before.at(-1) === "Processing/None";
    if (!isHeld || (sale.blind && sale.wavers)) return wrong;
    claim(unmined || atExpiry.inTime < minDueSats, `to one who paid ${atExpiry.inTime} in time`);
    if (additional === "Underpaid")
      claim((sale.blind ? ever.counted : ever.inWindow) > 0n, "and nothing was paid");
    if (additional === "None") claim(atExpiry.inTime === 0n, `and ${atExpiry.inTime} were paid in time`);
  }
  // What came after the monitoring has ended is no part of the price yet, but keeps a settled invoice from being Invalid.
  const isOpen = before.at(-1) === "Processing/None";
  const paid = isOpen ? least.inWindow : least.counted;
  if (status === "Invalid")
    claim(unmined || paid < minDueSats || (isOpen && sale.undated), `and ${paid} are paid`);
  return wrong;
}

/** Its monitoring may have ended with a payment that is in no block: not within a day after one left a block. */
function mayEndUnmined(sale: Sale, before: readonly string[], atMs: number, checkedMs: number): boolean {
  const { monitoringMs, leftBlockMs, minDueSats } = sale;
  if (before.at(-1) !== "Processing/None" || atMs < monitoringMs) return false;
  if (leftBlockMs > 0 && atMs < leftBlockMs + MINED_AGAIN_WITHIN_MS) return false;
  return trueSince(sale, Math.max(checkedMs, monitoringMs)).least.secured < minDueSats;
}

/** Of an invoice that was marked by hand: what it may be at rest. */
function markedStatusOf(sale: Sale, { confirmedInWindow }: Sums): string[] {
  if (sale.mark === "Invalid") return ["Invalid/None"];
  if (confirmedInWindow > sale.dueSats && !sale.undated) return ["Settled/Overpaid"];
  const was =
    confirmedInWindow > sale.dueSats || trueSince(sale, sale.markedMs).most.confirmedInWindow > sale.dueSats;
  return was ? ["Settled/None", "Settled/Overpaid"] : ["Settled/None"];
}

/**
 * What an invoice may be at rest. Of a blind one what came late may be dated in time; and where Lightning alone or a mark
 * settled it, so that it was not held, what came in time may be dated late.
 */
function statusOf(sale: Sale, coins: readonly Coin[], told: readonly string[], nowMs: number): string[] {
  const sums = sumsOf(coins, sale);
  if (!sale.blind) return datedStatusOf(sale, sums, told, nowMs);
  const { counted, confirmed } = sums;
  const best = { ...sums, inTime: counted, inWindow: counted, confirmedInWindow: confirmed };
  const byLightning = sumsOf(coins.filter(isLightning), sale).confirmedInWindow;
  const worst = { ...sums, confirmedInWindow: byLightning };
  const notHeld = byLightning >= sale.minDueSats || sale.mark === "Settled";
  const views = notHeld ? [sums, best, worst] : [sums, best];
  return views.flatMap((each) => datedStatusOf(sale, each, told, nowMs));
}

/** By the specification's table. */
function datedStatusOf(sale: Sale, sums: Sums, told: readonly string[], nowMs: number): string[] {
  const { minDueSats, dueSats, expiresMs, doubleSpent, wavers } = sale;
  const { confirmed, confirmedInWindow, inTime, inWindow, counted } = sums;
  if (sale.mark !== null) return markedStatusOf(sale, sums);
  const late = wasLate(told);
  const settled = told.filter((name) => name.startsWith("Settled"));
  if (settled.length > 0 && wavers && counted < minDueSats) return ["Invalid/None", settled.at(-1) ?? ""];
  if (settled.length > 0 && doubleSpent && counted < minDueSats) return ["Invalid/None"];
  if (confirmed >= minDueSats) {
    if (late) return ["Settled/PaidAfterExpiration"];
    if (settled.includes("Settled/Overpaid")) return ["Settled/Overpaid"];
    if (confirmedInWindow <= dueSats) return ["Settled/None"];
    return sale.undated ? ["Settled/None", "Settled/Overpaid"] : ["Settled/Overpaid"];
  }
  if (settled.length > 0) return [settled.at(-1) ?? ""];
  if (late && told.at(-1)?.startsWith("Invalid")) return ["Invalid/None"];
  if (nowMs < expiresMs) return [inTime >= minDueSats ? "Processing/None" : "New/None"];
  if (inTime >= minDueSats && !late) return unconfirmedStatusOf(sale, sums, nowMs);
  if (told.includes("Processing/None") && counted === 0n) return ["Invalid/None", "Expired/None"];
  return inWindow > 0n && counted < minDueSats && !sale.undated
    ? ["Expired/Underpaid"]
    : ["Expired/None", "Expired/Underpaid"];
}

/** Paid in time, and not confirmed: until the monitoring ends with a payment in no block. */
function unconfirmedStatusOf(sale: Sale, { secured, confirmedInWindow }: Sums, nowMs: number): string[] {
  if (nowMs < sale.monitoringMs || secured >= sale.minDueSats) return ["Processing/None"];
  const ended = confirmedInWindow > 0n ? "Expired/Underpaid" : "Invalid/None";
  return sale.leftBlock ? ["Processing/None", ended] : [ended];
}
