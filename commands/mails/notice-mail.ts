import { mailName } from "../../domain/account/mail-text";
import { type Calendar, calendarIn } from "../../domain/time-zone";
import type { CommandContext } from "../context";
import { readReport } from "../reports/read-report";
import { readStore } from "../../database/rows";
import { NOTICES_MAX, type NoticeLine } from "./queries";
import { unsubscribeUrl } from "./unsubscribe-link";

/** The newest; a store with more reads them in the dashboard. */
const NAMED_MAX = 20;

interface Mail {
  subject: string;
  text: string;
}

interface About {
  choiceId: string;
  storeId: string;
  /** At least one, the oldest first. */
  lines: readonly NoticeLine[];
}

interface Place {
  calendar: Calendar;
  /** The store's in the dashboard. */
  url: string;
}

/** Says what a member of the store sees in the dashboard, and no more. */
export async function noticeMail(ctx: CommandContext, { choiceId, storeId, lines }: About): Promise<Mail> {
  const store = await readStore(ctx, storeId);
  const place = {
    calendar: calendarIn(store.timeZone),
    url: `${ctx.settings.publicUrl}/stores/${storeId}`,
  };
  const name = mailName(store.name);
  const summaries = await Promise.all(
    lines.filter(({ kind }) => kind === "summary").map((line) => summaryOf(ctx, storeId, place, line)),
  );
  const parts = [
    `${name === null ? "Your store" : `Store "${name}"`}. Times are in ${place.calendar.timeZone}.`,
    ...SECTIONS.flatMap((section) => sectionOf(section, lines, place)),
    ...summaries,
    `You chose what is sent to you: ${place.url}/settings/mails\nSend no more mails of this store: ${unsubscribeUrl(ctx, choiceId)}`,
  ];
  const about = name === null ? "" : `${name}: `;
  return { subject: `[Quittance] ${about}${countsOf(lines)}`, text: `${parts.join("\n\n")}\n` };
}

interface Section {
  kind: NoticeLine["kind"];
  title: string;
  /** In the subject. */
  counted: string;
  page: string;
  text(line: NoticeLine, place: Place): string;
}

const SECTIONS: readonly Section[] = [
  { kind: "paid", title: "Paid", counted: "paid", page: "invoices", text: paidText },
  { kind: "to-review", title: "To review", counted: "to review", page: "reviews", text: paidText },
  {
    kind: "webhook-failing",
    title: "Webhook failing",
    counted: "failing webhooks",
    page: "alerts",
    text: alertText,
  },
  { kind: "node-away", title: "Node", counted: "about the node", page: "alerts", text: alertText },
];

function countsOf(lines: readonly NoticeLine[]): string {
  const counts = [...SECTIONS, { kind: "summary", counted: "summary" }].flatMap(({ kind, counted }) => {
    const count = lines.filter((line) => line.kind === kind).length;
    return count === 0 ? [] : [kind === "summary" ? counted : `${count} ${counted}`];
  });
  return counts.join(", ") + (lines.length === NOTICES_MAX ? " and more" : "");
}

function sectionOf({ kind, title, page, text }: Section, all: readonly NoticeLine[], place: Place): string[] {
  const lines = all.filter((line) => line.kind === kind);
  if (lines.length === 0) return [];
  const more = lines.length - NAMED_MAX;
  const minuteOf = (at: Date): string => place.calendar.read(at).slice(0, "2026-03-01 09:30".length);
  return [
    `${title} (${lines.length})`,
    ...(more > 0 ? [`${more} more before these: ${place.url}/${page}`] : []),
    ...lines.slice(-NAMED_MAX).map((line) => `${minuteOf(line.at)}  ${text(line, place)}`),
  ];
}

function paidText({ invoiceId, orderId, amount, currency, paidSats }: NoticeLine, { url }: Place): string {
  const order = mailName(orderId ?? "") ?? "";
  const sum = amount === null ? "" : `${amount} ${currency ?? ""} (${paidSats ?? ""} sats received)`;
  return `${order === "" ? "" : `${order}: `}${sum}\n${url}/invoices/${invoiceId ?? ""}`;
}

function alertText({ message }: NoticeLine, { url }: Place): string {
  return `${message ?? "It is over."}\n${url}/alerts`;
}

async function summaryOf(
  ctx: CommandContext,
  storeId: string,
  { calendar: { timeZone }, url }: Place,
  { subject }: NoticeLine,
): Promise<string> {
  const [from = "", to = ""] = subject.split("/");
  const { totals } = await readReport(ctx, storeId, { from, to, by: "month", timeZone });
  const { invoices, received, created, sold } = totals;
  return [
    `Summary of ${from === to ? from : `${from} to ${to}`}`,
    `Received: ${received.onchainSats} sats on-chain, ${received.lightningSats} sats by Lightning`,
    `Invoices created: ${created}, of them ${invoices.Settled} settled, ${invoices.Expired} expired, ${invoices.Invalid} invalid`,
    ...sold.map(({ currency, amount }) => `Sold: ${amount} ${currency}`),
    `${url}/reports?from=${from}&to=${to}`,
  ].join("\n");
}
