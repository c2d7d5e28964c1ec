import { Alert } from "../../entities/alert";
import type { CommandContext } from "../context";
import { readPage, type Page, type PageRequest } from "../../database/pagination";

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
