import { ReconciliationReport } from "../entities/reconciliation-report";
import type { CommandContext } from "./context";
import { readPage, type Page, type PageRequest } from "./page";

/** What the daily comparison of the books with the chain found, newest first. @throws DomainError `validation-failed` at `/cursor`. */
export async function listReports(
  ctx: CommandContext,
  page: PageRequest,
): Promise<Page<ReconciliationReport>> {
  return ctx.readElsewhere((db) =>
    readPage(db.createQueryBuilder(ReconciliationReport, "report"), page, "at"),
  );
}
