import { ADDITIONAL_STATUSES, INVOICE_STATUSES } from "../../domain/invoice/status";
import { figuresOf, type ReportFigures } from "../../domain/report/figures";
import { periodsOf, type ReportRange } from "../../domain/report/periods";
import { calendarIn, type Days } from "../../domain/time-zone";
import type { CommandContext } from "../context";
import { countQualifiedIn, readDurations, sumCreatedIn, sumReceivedIn } from "./queries";

/** The durations of so many invoices are read in total, the newest of each period. */
const DURATIONS_MAX = 6_000;

export interface Report extends ReportRange {
  totals: ReportFigures;
  periods: (Days & ReportFigures)[];
}

/**
 * Nothing is precomputed; each index has all that is added up.
 * @throws DomainError `validation-failed` at `/to` or `/timeZone`
 */
export async function readReport(
  { db: { manager } }: CommandContext,
  storeId: string,
  range: ReportRange,
): Promise<Report> {
  const periods = periodsOf(range);
  const calendar = calendarIn(range.timeZone);
  const begins = periods.map(({ from }) => calendar.startOf(from));
  const within = [storeId, begins, [...begins.slice(1), calendar.endOf(range.to)]] as const;
  const perPeriod = Math.ceil(DURATIONS_MAX / periods.length);
  const [received, created, qualified, durations] = [
    (await sumReceivedIn(manager, ...within)).rows,
    (await sumCreatedIn(manager, ...within, INVOICE_STATUSES)).rows,
    (await countQualifiedIn(manager, ...within, ADDITIONAL_STATUSES)).rows,
    (await readDurations(manager, ...within, perPeriod)).rows,
  ];
  const figuresIn = (number: number): ReportFigures => {
    const ofPeriod = ({ period }: { period: number | null }): boolean => period === number;
    return figuresOf({
      received: received.filter(ofPeriod),
      created: created.filter(ofPeriod),
      qualified: qualified.filter(ofPeriod),
      durations: durations.find(ofPeriod),
    });
  };
  const whole = durations.find(({ period }) => period === null);
  return {
    ...range,
    totals: figuresOf({ received, created, qualified, durations: whole }),
    periods: periods.map((days, number) => ({ ...days, ...figuresIn(number) })),
  };
}
