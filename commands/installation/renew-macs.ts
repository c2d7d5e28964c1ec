import { In, IsNull, Not } from "typeorm";
import { jsonRows } from "../../database/insert-rows";
import { parseExtendedKey } from "../../domain/wallet/extended-key";
import { Bolt11 } from "../../entities/bolt11";
import { LightningNode } from "../../entities/lightning-node";
import { Wallet } from "../../entities/wallet";
import type { CommandContext } from "../context";
import { bolt11Fields, destinationFields } from "../wallets/destination-macs";
import { answerFields } from "../invoices/idempotency";
import { fieldsOfNode } from "../lightning/lightning-node";
import { READ_AT_ONCE, type Macs, MACS, readAnswers } from "./queries";
import { readStoredMethods } from "../wallets/read-destinations";
import { linkFields, openWallet, openXpub, readWalletLink } from "../wallets/wallet-link";

const BATCH = 500;

/** By a key of one or two columns, under the former secret. */
interface MacRow {
  one: string;
  two: string;
  mac: Buffer;
}
type UncheckedRow = Omit<MacRow, "mac"> & { mac: Buffer | null };

/** `fields`: null for a row that is not authentic. */
interface Place {
  macs: Macs;
  fieldsOf(ctx: CommandContext, rows: readonly MacRow[]): Promise<(readonly string[] | null)[]>;
}

const PLACES: readonly Place[] = [
  {
    macs: MACS.walletLinks,
    fieldsOf: (ctx, rows) =>
      Promise.all(
        rows.map(async ({ one: storeId }) => {
          const link = await readWalletLink(ctx.db.manager, storeId);
          const wallet = link && openWallet(ctx.secrets, link);
          return wallet && linkFields(storeId, wallet);
        }),
      ),
  },
  {
    macs: MACS.destinations,
    async fieldsOf(ctx, rows) {
      const ids = rows.map(({ one }) => one);
      const stored = await readStoredMethods(ctx, ids);
      const byName = new Map(stored.map((row) => [`${row.invoiceId} ${row.type}`, row]));
      return rows.map(({ one, two }) => {
        const row = byName.get(`${one} ${two}`);
        return row?.authentic === true ? destinationFields(row) : null;
      });
    },
  },
  {
    macs: MACS.bolt11s,
    async fieldsOf({ db, secrets }, rows) {
      const stored = await db.manager.find(Bolt11, {
        select: { paymentHash: true, invoiceId: true, bolt11: true, mac: true },
        where: { paymentHash: In(rows.map(({ one }) => one)), bolt11: Not(IsNull()) },
      });
      const byHash = new Map(stored.map((row) => [row.paymentHash, row]));
      return rows.map(({ one }) => {
        const row = byHash.get(one);
        if (row === undefined || row.bolt11 === null) return null;
        const fields = bolt11Fields({ ...row, bolt11: row.bolt11 });
        return secrets.macMatches(row.mac, fields) ? fields : null;
      });
    },
  },
  {
    macs: MACS.nodes,
    async fieldsOf({ db, secrets }, rows) {
      const nodes = await db.manager.findBy(LightningNode, { id: In(rows.map(({ one }) => one)) });
      const byId = new Map(nodes.map((node) => [node.id, fieldsOfNode(secrets, node)]));
      return rows.map(({ one }) => byId.get(one) ?? null);
    },
  },
  {
    macs: MACS.answers,
    async fieldsOf({ db, secrets }, rows) {
      const { rows: stored } = await readAnswers(db.manager, jsonRows(rows));
      const byName = new Map(stored.map((row) => [`${row.storeId} ${row.key}`, row]));
      return rows.map(({ one, two }) => {
        const row = byName.get(`${one} ${two}`);
        const fields = row && answerFields(row, row.answer);
        return fields && secrets.macMatches(row.mac, fields) ? fields : null;
      });
    },
  },
];

/** Valid ones of the former secret, also look-up hashes: others stay. Returns how many were written. */
export async function renewMacs(ctx: CommandContext): Promise<number> {
  const { formerKeyId } = ctx.secrets;
  if (formerKeyId === null) return 0;
  let written = await renewHashes(ctx);
  for (const place of PLACES) written += await renewPlace(ctx, place, formerKeyId);
  return written;
}

async function renewPlace(ctx: CommandContext, place: Place, formerKeyId: Buffer): Promise<number> {
  const isFormer = (row: UncheckedRow): row is MacRow =>
    row.mac !== null && formerKeyId.equals(row.mac.subarray(0, formerKeyId.length));
  let written = 0;
  for (let after = { one: "", two: "" }; ;) {
    const { rows } = await place.macs.readAfter(ctx.db.manager, after.one, after.two);
    const marked = rows.filter(isFormer);
    for (let at = 0; at < marked.length; at += BATCH)
      written += await renewRows(ctx, place, marked.slice(at, at + BATCH));
    const last = rows.at(-1);
    if (last === undefined || rows.length < READ_AT_ONCE) return written;
    after = last;
  }
}

async function renewRows(
  ctx: CommandContext,
  { macs, fieldsOf }: Place,
  rows: readonly MacRow[],
): Promise<number> {
  const fields = await fieldsOf(ctx, rows);
  const renewed = rows.flatMap((row, at) => {
    const own = fields[at];
    return own ? [{ ...row, renewed: ctx.secrets.mac(own) }] : [];
  });
  const { count } = await macs.renew(ctx.db.manager, jsonRows(renewed));
  return count;
}

/** A process with only the former secret may have created another row for the key: that row stays. */
async function renewHashes({ db, secrets, settings: { network } }: CommandContext): Promise<number> {
  let written = 0;
  for (const wallet of await db.manager.find(Wallet)) {
    const { id, scriptType, accountKeyHash: before } = wallet;
    const xpub = openXpub(secrets, wallet);
    if (xpub === null) continue;
    const [accountKeyHash] = secrets.lookupHashes(parseExtendedKey(xpub, network, "/xpub").accountKey);
    if (accountKeyHash === undefined || accountKeyHash.equals(before)) continue;
    if (await db.manager.existsBy(Wallet, { accountKeyHash, scriptType })) continue;
    await db.manager.update(Wallet, { id, accountKeyHash: before }, { accountKeyHash });
    written += 1;
  }
  return written;
}
