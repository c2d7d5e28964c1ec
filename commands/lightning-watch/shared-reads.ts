import type { EntityManager } from "typeorm";
import { batch, perDatabase } from "../../database/batch";
import { jsonRows } from "../../database/insert-rows";
import { groupBy } from "../../domain/group-by";
import type { CommandContext } from "../context";
import {
  countUnfinished,
  type NodeAsked,
  type OpenAsked,
  type OrphanBolt11,
  readBare,
  readForsaken,
  readOpen,
  readOurs,
  readPressing,
} from "./queries";

/** For a statement: no node waits for the rows of hundreds. */
const NODES_MAX = 50;

/** All sessions of a process share the statements: many at once would keep the database from what renews the leases. */
function shared<A extends { nodeId: string }, R>(
  read: (
    manager: EntityManager,
    asked: readonly A[],
    now: () => Promise<Date>,
  ) => Promise<(nodeId: string) => R>,
): (ctx: CommandContext, asked: A) => Promise<R> {
  const readerOf = perDatabase((db) =>
    batch<Pick<CommandContext, "now"> & { asked: A }, R>(
      async (all) => {
        const [first] = all;
        if (first === undefined) return [];
        const now = (): Promise<Date> => first.now(db.manager);
        const answerOf = await read(
          db.manager,
          all.map(({ asked }) => asked),
          now,
        );
        return all.map(({ asked }) => answerOf(asked.nodeId));
      },
      { atMost: NODES_MAX },
    ),
  );
  return ({ db, now }, asked) => readerOf(db)({ now, asked });
}

const byNode = <R extends { nodeId: string }>(rows: readonly R[]): ((nodeId: string) => readonly R[]) => {
  const found = groupBy(rows, ({ nodeId }) => nodeId);
  return (nodeId) => found.get(nodeId) ?? [];
};

export interface Urgent {
  now: Date;
  forsaken: readonly OrphanBolt11[];
  /** Invoices. */
  pressing: readonly string[];
}

export const readUrgent = shared<NodeAsked, Urgent>(async (manager, asked, clock) => {
  const now = await clock();
  const [all, more] = [jsonRows(asked), asked.filter((each) => each.more)];
  const forsaken = byNode((await readForsaken(manager, all, now)).rows);
  const pressing = byNode((await readPressing(manager, all, now)).rows);
  const bare = byNode(more.length === 0 ? [] : (await readBare(manager, jsonRows(more), now)).rows);
  return (nodeId) => ({
    now,
    forsaken: forsaken(nodeId),
    pressing: [...pressing(nodeId), ...bare(nodeId)].map(({ invoiceId }) => invoiceId),
  });
});

const readOursOf = shared(async (manager, asked: readonly { nodeId: string; paymentHash: string }[]) =>
  byNode((await readOurs(manager, jsonRows(asked))).rows),
);

export async function isOurs(
  ctx: CommandContext,
  asked: { nodeId: string; paymentHash: string },
): Promise<boolean> {
  const found = await readOursOf(ctx, asked);
  return found.some(({ paymentHash }) => paymentHash === asked.paymentHash);
}

export const readOpenPage = shared(async (manager, asked: readonly OpenAsked[]) =>
  byNode((await readOpen(manager, jsonRows(asked))).rows),
);

const NONE = { others: 0, unfinished: 0 };

/** `others`: of another LND, and payable within the last day; `unfinished`: over for a day. */
export const readUnfinished = shared(
  async (manager, asked: readonly { nodeId: string; nodeKey: string | null }[], now) => {
    const counted = byNode((await countUnfinished(manager, jsonRows(asked), await now())).rows);
    return (nodeId) => counted(nodeId)[0] ?? NONE;
  },
);
