import { batch, perDatabase } from "../../database/batch";
import { jsonRows } from "../../database/insert-rows";
import type { LightningNode } from "../../entities/lightning-node";
import { LeaseLostError } from "../../database/lease";
import type { LightningWatch } from "../lightning/lightning-node";
import { writeNodeReports } from "../lightning/queries";

/** `caughtUpTo`: null if the check is incomplete. */
export type NodeReport = Pick<
  LightningNode,
  "caughtUpTo" | "synchronized" | "problem" | "fault" | "receivableSats"
>;

/** In a leader's memory: what the row says. */
export interface Reported {
  text: string;
  /** Reported again, and not written. */
  repeated: boolean;
}

type Written = NodeReport & { id: string; lease: string; epoch: string };

/** All nodes of a process report at the same ticks. */
const writerOf = perDatabase((db) =>
  batch<Written, boolean>(async (reports) => {
    const latest = [...new Map(reports.map((report) => [report.id, report])).values()];
    const { rows } = await writeNodeReports(db.manager, jsonRows(latest));
    const written = new Set(rows.map(({ id }) => id));
    return reports.map(({ id }) => written.has(id));
  }),
);

/**
 * Returns what the row says from now on. Of reports that are the same every second is written, so that the row's readers
 * know that it is watched. @throws LeaseLostError
 */
export async function writeNodeReport(
  { ctx, node }: Omit<LightningWatch, "lightning">,
  report: NodeReport,
  before: Reported | null,
): Promise<Reported> {
  const { lease } = ctx;
  const { receivableSats } = report;
  const text = JSON.stringify({ ...report, receivableSats: receivableSats?.toString() });
  if (before?.text === text && !before.repeated) return { text, repeated: true };
  const written = await writerOf(ctx.db)({ ...report, id: node.id, lease: lease.name, epoch: lease.epoch });
  if (!written) throw new LeaseLostError(`the lease of ${lease.name} has run out or another has it`);
  return { text, repeated: false };
}
