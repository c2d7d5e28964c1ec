import type { DataSource, EntityManager } from "typeorm";
import { DomainError } from "../domain/errors";
import { gather } from "../domain/gather";
import type { MethodReason } from "../domain/invoice/method-reason";
import { Bolt11 } from "../entities/bolt11";
import type { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { arrayLiteral } from "./array-literal";
import type { CommandContext } from "./context";
import { inTime } from "./in-time";
import { insertTogether } from "./insert-together";
import { type Bolt11Text, issueBolt11, type MadeBolt11, NoBolt11Error, type SeenNow } from "./issue-bolt11";
import { KNOWN_AWAY } from "./lightning-away";
import { perDatabase } from "./per-database";
import { newBolt11 } from "./plan-bolt11s";
import type { LightningPort } from "./ports";
import { TOGETHER } from "./together";

/** What an invoice that is being created will ask for. */
export interface FirstBolt11Request extends Bolt11Text {
  invoiceId: string;
  amountSats: bigint;
  expiresInSeconds: number;
  /** The invoice can be paid in no other way. */
  alone: boolean;
}

/** A committed row, and what the node has made of it: nothing yet where there is a reason. */
export type FirstBolt11 = { paymentHash: string } & (
  { made: MadeBolt11; reason: null } | { made: null; reason: MethodReason }
);

/**
 * Asks for the BOLT11 of an invoice before that is written: no transaction waits for the node. The row is committed
 * first, so that whatever dies here leaves at most a row without an invoice, which the sweep cancels. Where there is an
 * address as well, nobody waits for a node that its watcher finds away.
 */
export async function firstBolt11(
  ctx: CommandContext,
  lightning: LightningPort,
  request: FirstBolt11Request,
): Promise<FirstBolt11> {
  const { invoiceId, amountSats, expiresInSeconds, alone, ...text } = request;
  const { row, away, seen } = await beginnerOf(ctx.db)({ ctx, invoiceId, amountSats, expiresInSeconds });
  const { paymentHash } = row;
  if (!alone && away) return { paymentHash, made: null, reason: "node-unavailable" };
  try {
    return { paymentHash, made: await issueBolt11(ctx, lightning, row, text, seen), reason: null };
  } catch (error) {
    if (!(error instanceof NoBolt11Error)) throw error;
    ctx.log.warn({ invoiceId, reason: error.message }, "no BOLT11 for a new invoice");
    return { paymentHash, made: null, reason: error.reason };
  }
}

interface Begun {
  row: Bolt11;
  /** See isKnownAway. */
  away: boolean;
  seen: SeenNow;
}

type Beginning = Pick<FirstBolt11Request, "invoiceId" | "amountSats" | "expiresInSeconds"> & {
  ctx: CommandContext;
};

/**
 * Commits the rows of those that begin at once, and reads what the watcher last saw of the node. That does not wait for
 * the disk: a server that crashes and forgets a row forgets its invoice as well, which is committed later and does wait,
 * and so nobody was given the text of what LND may have. Two statements at a time have no row in common, and where one
 * hangs on a dead connection the other goes on.
 */
const beginnerOf = perDatabase((db) =>
  gather<Beginning, Begun>((asked) => inTime(begin(db, asked)), TOGETHER),
);

async function begin({ manager }: DataSource, asked: readonly Beginning[]): Promise<Begun[]> {
  const [first] = asked;
  if (first === undefined) return [];
  const createdAt = await first.ctx.now(manager);
  const rows = asked.map(({ ctx, invoiceId, amountSats, expiresInSeconds }) => {
    const expiresAt = new Date(createdAt.getTime() + expiresInSeconds * 1_000);
    return newBolt11(ctx, { invoiceId, amountSats, createdAt, expiresAt });
  });
  const [rail] = await insertTogether<{ away: boolean; receivableSats: string | null }>(
    manager,
    [{ into: Bolt11, rows }],
    { returning: "payment_hash", select: WITH_RAIL },
  );
  if (rail === undefined) throw new Error("the rows were not written");
  const { away } = rail;
  const receivableSats = rail.receivableSats === null ? null : BigInt(rail.receivableSats);
  return rows.map((row) => ({ row, away, seen: { now: createdAt, receivableSats } }));
}

const WITH_RAIL = `SELECT set_config('synchronous_commit', 'off', true), ${KNOWN_AWAY} AS away,
  (SELECT receivable_sats FROM rails WHERE type = 'BTC-LN') AS "receivableSats"`;

/**
 * Takes back the row of an invoice that is not created for want of a BOLT11. Nobody was given a text, so nothing can be
 * paid even where the node has made one; it runs out there by itself.
 * @throws DomainError `payment-method-unavailable`, always.
 */
export async function refuseWithoutBolt11(
  ctx: CommandContext,
  { paymentHash, reason }: FirstBolt11,
): Promise<never> {
  await ctx.db.manager.delete(Bolt11, { paymentHash });
  throw new DomainError(
    "payment-method-unavailable",
    reason === "exceeds-receivable"
      ? "The invoice can be paid by Lightning alone, and its price is more than the Lightning node can receive now."
      : "The invoice can be paid by Lightning alone, and the Lightning node does not answer now. Try again in a moment.",
  );
}

/**
 * Invoices' methods BTC-LN, in the transaction that writes them: there the BOLT11s are given out. One that the sweep took
 * for that of a dead process and has canceled is not: its invoice gets another.
 */
export async function giveOutBolt11s(
  manager: EntityManager,
  bolt11s: readonly (FirstBolt11 & { invoiceId: string })[],
): Promise<InvoicePaymentMethod[]> {
  const made = bolt11s.flatMap(({ paymentHash, made: bolt11 }) =>
    bolt11 === null ? [] : [{ paymentHash, bolt11: bolt11.invoice.bolt11, nodeKey: bolt11.nodeKey }],
  );
  const given = made.length === 0 ? [] : await open(manager, made);
  const textOf = new Map(given.map(({ paymentHash, bolt11 }) => [paymentHash, bolt11]));
  return bolt11s.map(({ invoiceId, paymentHash, reason }) => {
    const destination = textOf.get(paymentHash) ?? null;
    return {
      invoiceId,
      type: "BTC-LN",
      destination,
      available: destination !== null,
      reason: destination === null ? (reason ?? "being-issued") : null,
    };
  });
}

interface OpenBolt11 {
  paymentHash: string;
  bolt11: string;
  nodeKey: string;
}

/**
 * Answers those that were still wanted. Planned each time, and by a condition that is none of an index: where statistics
 * are older than a crowd of invoices, Postgres would look through all that are unfinished for each few that are opened.
 */
async function open(
  manager: EntityManager,
  made: readonly OpenBolt11[],
): Promise<Pick<OpenBolt11, "paymentHash" | "bolt11">[]> {
  const values = [
    made.map(({ paymentHash }) => paymentHash),
    made.map(({ bolt11 }) => bolt11),
    made.map(({ nodeKey }) => nodeKey),
  ];
  const [opened] = await manager.query<[Pick<OpenBolt11, "paymentHash" | "bolt11">[], number]>(
    `UPDATE bolt11s SET state = 'open', bolt11 = made.bolt11, node_key = made.node_key
       FROM unnest($1::text[], $2::text[], $3::text[]) AS made (payment_hash, bolt11, node_key)
      WHERE bolt11s.payment_hash = made.payment_hash AND NOT bolt11s.cancel_wanted
        AND bolt11s.state || '' = 'wanted'
      RETURNING bolt11s.payment_hash AS "paymentHash", bolt11s.bolt11`,
    values.map((list) => arrayLiteral(list)),
  );
  return opened;
}
