import type { EntityManager } from "typeorm";
import { pipelined, transaction, withSavepoint } from "../database/pipelined";
import type { CommandContext } from "./context";
import { assertLease } from "../database/lease";

/** The part of the context that reaches nothing outside of this process. */
type Pure = Pick<
  CommandContext,
  "actor" | "log" | "newId" | "newStoreId" | "randomBytes" | "secrets" | "settings"
>;

/** Follows a commit: called once, with all items of the transaction. Nothing may depend on it: a sweep finds the rest. */
type Effect<Item> = (ctx: CommandContext, items: readonly Item[]) => Promise<void> | void;
type Effects = Map<Effect<never>, unknown[]>;

/** For a step that reads: no node, queue, network or other connection. */
export interface Reading extends Pure {
  readonly manager: EntityManager;
  /** LND_GRPC_URL is set. */
  readonly hasLightning: boolean;
  /** The database's clock, read once. In a transaction after the locks: an earlier decision then has an earlier time. */
  now(): Promise<Date>;
}

/** For a step inside a transaction. */
export interface Tx extends Reading {
  /** Falls with the transaction, and with its savepoint. */
  after<Item>(effect: Effect<Item>, items: readonly Item[]): void;
}

/** Under the context's lease if it has one. Ends when what follows the commit has ended. @throws LeaseLostError */
export async function inTransaction<T>(ctx: CommandContext, work: (tx: Tx) => Promise<T>): Promise<T> {
  const effects: Effects = new Map();
  const result = await transaction(ctx.db, async (manager) => {
    const tx = { ...reading(ctx, manager), after: collectIn(effects) };
    if (ctx.lease === undefined) return work(tx);
    // In a round trip with the first statement, which is behind it on the connection.
    const [, done] = await pipelined(assertLease(manager, ctx.lease), work(tx));
    return done;
  });
  await Promise.all([...effects].map(([effect, items]) => follow(ctx, effect as Effect<unknown>, items)));
  return result;
}

/** When `work` fails, its writes and what would follow them fall; the transaction goes on. */
export async function inSavepoint<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  const effects: Effects = new Map();
  const result = await withSavepoint(tx.manager, () => work({ ...tx, after: collectIn(effects) }));
  for (const [effect, items] of effects) tx.after(effect, items as never[]);
  return result;
}

/** Outside of a transaction: each statement by itself. */
export function reading(ctx: CommandContext, manager = ctx.db.manager): Reading {
  const { actor, log, newId, newStoreId, randomBytes, secrets, settings } = ctx;
  const pure = { actor, log, newId, newStoreId, randomBytes, secrets, settings };
  let time: Promise<Date> | null = null;
  const now = async (): Promise<Date> => {
    time ??= ctx.now(manager);
    try {
      return await time;
    } catch (error) {
      time = null; // a savepoint that failed before it
      throw error;
    }
  };
  return { ...pure, manager, hasLightning: ctx.lightning.server, now };
}

function collectIn(effects: Effects): Tx["after"] {
  return (effect, items) => {
    const known = effects.get(effect);
    if (known === undefined) effects.set(effect, [...items]);
    else for (const item of items) known.push(item);
  };
}

async function follow(
  ctx: CommandContext,
  effect: Effect<unknown>,
  items: readonly unknown[],
): Promise<void> {
  if (items.length === 0) return;
  try {
    await effect(ctx, items);
  } catch (error) {
    ctx.log.error(
      { err: error, effect: effect.name },
      "transaction: what follows it failed, left to the sweeps",
    );
  }
}
