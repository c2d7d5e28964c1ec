import { Alert } from "../../entities/alert";
import { ReconciliationReport } from "../../entities/reconciliation-report";
import type { CommandContext } from "../context";
import { readPage, readPageOfLarge, type Page, type PageRequest } from "../../database/pagination";

export const ALERT_STATES = ["open", "resolved"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** Newest first: of a store, or all, also the server's. @throws DomainError `validation-failed` at `/cursor`. */
export async function listAlerts(
  ctx: CommandContext,
  { storeId, state }: { storeId?: string; state?: AlertState | undefined },
  page: PageRequest,
): Promise<Page<Alert>> {
  const query = ctx.db.createQueryBuilder(Alert, "alert");
  if (storeId !== undefined) query.andWhere("alert.storeId = :storeId", { storeId });
  if (state !== undefined) query.andWhere(`alert.resolvedAt IS ${state === "open" ? "NULL" : "NOT NULL"}`);
  return readPage(query, page, "at");
}

/** By the daily comparison of books and chain, newest first. @throws DomainError `validation-failed` at `/cursor`. */
export async function listReports(
  ctx: CommandContext,
  page: PageRequest,
): Promise<Page<ReconciliationReport>> {
  return readPageOfLarge(ctx.db.createQueryBuilder(ReconciliationReport, "report"), page, {
    entity: ReconciliationReport,
    bytes: "512 + octet_length(CAST(report.differences AS text))",
    time: "at",
  });
}
