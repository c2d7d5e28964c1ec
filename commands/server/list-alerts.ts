import type { SelectQueryBuilder } from "typeorm";
import { Alert } from "../../entities/alert";
import { ReconciliationReport } from "../../entities/reconciliation-report";
import type { CommandContext } from "../context";
import { readPage, readPageOfLarge, type Page, type PageRequest } from "../../database/pagination";

export const ALERT_STATES = ["open", "resolved"] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/**
 * A store's operator alerts, newest first, without those about the whole server.
 * @throws DomainError `validation-failed` at `/cursor`.
 */
export async function listAlerts(
  ctx: CommandContext,
  storeId: string,
  { state }: { state?: AlertState | undefined },
  page: PageRequest,
): Promise<Page<Alert>> {
  const query = alerts(ctx, state).andWhere("alert.storeId = :storeId", { storeId });
  return readPage(query, page, "at");
}

/** Operator alerts of all stores and of the server, newest first. @throws DomainError `validation-failed` at `/cursor`. */
export async function listAllAlerts(
  ctx: CommandContext,
  { state }: { state?: AlertState | undefined },
  page: PageRequest,
): Promise<Page<Alert>> {
  return readPage(alerts(ctx, state), page, "at");
}

function alerts(ctx: CommandContext, state: AlertState | undefined): SelectQueryBuilder<Alert> {
  const query = ctx.db.createQueryBuilder(Alert, "alert");
  if (state !== undefined) query.andWhere(`alert.resolvedAt IS ${state === "open" ? "NULL" : "NOT NULL"}`);
  return query;
}

/** What the daily comparison of the books with the chain found, newest first. @throws DomainError `validation-failed` at `/cursor`. */
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
