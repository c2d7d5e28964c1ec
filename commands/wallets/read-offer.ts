import { DomainError } from "../../domain/errors";
import { groupBy } from "../../domain/group-by";
import { isNotAuthentic, type OfferedMethod } from "../../domain/invoice/payable-methods";
import { batchedRead } from "../../database/batch";
import { alertNotAuthentic } from "../server/alert-not-authentic";
import type { CommandContext } from "../context";
import { readOffers, type StoreTerms } from "./queries";
import { type OpenedWallet, openWallet } from "./wallet-link";

export type { StoreTerms } from "./queries";

const readRows = batchedRead(async ({ db }: CommandContext, storeIds) =>
  groupBy((await readOffers(db.manager, storeIds)).rows, ({ ofStore }) => ofStore),
);

/** An alert is raised if this service did not link its wallet to it. @throws DomainError `store-not-found`. */
export async function readOffer(
  ctx: CommandContext,
  storeId: string,
): Promise<{ store: StoreTerms; methods: OfferedMethod<OpenedWallet>[]; nodeId: string | null }> {
  const rows = await readRows(ctx, storeId);
  const first = rows?.[0];
  if (rows === undefined || first === undefined) throw new DomainError("store-not-found", "Store not found.");
  const [zeroConfMaxSats = null, maxInvoiceSats = null] = [first.zeroConfMaxSats, first.maxInvoiceSats].map(
    (sats) => (sats === null ? null : BigInt(sats)),
  );
  const methods = rows.flatMap((row) => {
    const { type } = row;
    if (type === null) return [];
    return [{ type, wallet: type === "BTC-CHAIN" ? openWallet(ctx.secrets, row) : null }];
  });
  if (methods.some(isNotAuthentic)) await alertNotAuthentic(ctx, [{ storeId, what: "wallet" }]);
  const nodeId = rows.find(({ type }) => type === "BTC-LN")?.nodeId ?? null;
  return { nodeId, store: { ...first, id: storeId, zeroConfMaxSats, maxInvoiceSats }, methods };
}
