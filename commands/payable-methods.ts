import { walletDustLimitSats } from "../domain/chain/dust";
import { DomainError, invalidField } from "../domain/errors";
import type { PaymentMethodType } from "../domain/invoice/status";
import type { Derivation } from "../entities/derivation";
import type { CommandContext } from "./context";
import type { LightningPort } from "./ports";
import { queryPrepared } from "./query-prepared";
import { readTogether } from "./read-together";

/** What addresses are derived from. */
export type Wallet = Pick<Derivation, "id" | "xpub" | "scriptType">;

export interface OfferedMethod {
  type: PaymentMethodType;
  derivation: Wallet | null;
}

type MethodRow = { storeId: string; type: PaymentMethodType } & { [K in keyof Wallet]: Wallet[K] | null };

/** By their store, with their wallets. */
const methodsOf = readTogether<OfferedMethod[]>(async (db, storeIds) => {
  const rows = await queryPrepared<MethodRow>(
    db.manager,
    `SELECT m.store_id AS "storeId", m.type, d.id, d.xpub, d.script_type AS "scriptType"
       FROM store_payment_methods m LEFT JOIN derivations d ON d.id = m.derivation_id WHERE m.store_id = ANY($1::text[])`,
    [storeIds],
  );
  const methods = new Map(storeIds.map((storeId): [string, OfferedMethod[]] => [storeId, []]));
  for (const { storeId, type, id, xpub, scriptType } of rows)
    methods.get(storeId)?.push({
      type,
      derivation: id === null || xpub === null || scriptType === null ? null : { id, xpub, scriptType },
    });
  return methods;
});

/** What a store offers. */
export async function offeredMethods(
  { db }: CommandContext,
  storeId: string,
): Promise<readonly OfferedMethod[]> {
  return (await methodsOf(db)(storeId)) ?? [];
}

/** The ways in which a new invoice can be paid: at least one. */
export interface PayableMethods {
  /** What its address comes from; null when it gets none. */
  derivation: Wallet | null;
  /** The node that its BOLT11 comes from; null when it gets none. */
  lightning: LightningPort | null;
}

/**
 * Of the methods that the store offers, those that were wanted and can take such a price. A due below dust leaves the
 * on-chain method out.
 * @throws DomainError `validation-failed` at the field that leaves nothing; `payment-method-unavailable` when this
 * server runs without the Lightning node that alone was left.
 */
export function payableMethods(
  ctx: CommandContext,
  methods: readonly OfferedMethod[],
  due: bigint,
  wanted: readonly PaymentMethodType[] | undefined,
): PayableMethods {
  const missing = wanted?.find((type) => !methods.some((method) => method.type === type));
  if (missing) throw invalidField("/paymentMethods", `This store does not offer ${missing}.`);
  const chosen = methods.filter(({ type }) => wanted?.includes(type) ?? true);
  const byLightning = chosen.some(({ type }) => type === "BTC-LN");
  const lightning = byLightning ? ctx.lightning : null;
  const derivation = chosen.find(({ type }) => type === "BTC-CHAIN")?.derivation;
  if (derivation) {
    const dust = walletDustLimitSats(derivation.scriptType);
    if (due >= dust) return { derivation, lightning };
    if (!byLightning)
      throw invalidField(
        "/amount",
        `The price is ${due} sats. An on-chain payment below ${dust} sats is dust that nodes do not relay, and ${wanted ? "no other payment method was asked for" : "the store has no other payment method"}.`,
      );
  }
  if (lightning !== null) return { derivation: null, lightning };
  if (byLightning)
    throw new DomainError("payment-method-unavailable", "This server runs without a Lightning node now.");
  throw invalidField(
    "/paymentMethods",
    "This store has no payment method for the invoice: set up a wallet for BTC-CHAIN first.",
  );
}
