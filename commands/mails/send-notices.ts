import { dueSummary } from "../../domain/account/notice";
import { isItemFailure } from "../../database/item-failure";
import { jsonRows } from "../../database/insert-rows";
import { groupBy } from "../../domain/group-by";
import type { CommandContext } from "../context";
import type { SendMail } from "../ports";
import { mailEach, type MailEnd, mailFailure } from "../server/mailing";
import { latestPosition } from "../webhooks/read-feed";
import { noticeMail } from "./notice-mail";
import {
  type Behind,
  claimMail,
  type DueMail,
  findBehind,
  findDueMails,
  findSummaries,
  markSent,
  readNotices,
  writePaid,
  writeReviewNotices,
  writeSummary,
} from "./queries";

/** Considered in one statement. */
const EVENTS_AT_ONCE = 1_000n;

/**
 * Writes what members are to be sent, then sends what has waited long enough, in one mail for each. If the process dies
 * after the mail server accepted a mail and before that is recorded, this mail is sent twice; none is lost.
 * @returns how many mails were accepted.
 */
export async function sendNotices(ctx: CommandContext): Promise<number> {
  const send = ctx.sendMail;
  if (send === null) return 0;
  await writePaidNotices(ctx);
  await writeReviewNotices(ctx.db.manager, await ctx.now(ctx.db.manager));
  await writeSummaries(ctx);
  const { rows } = await findDueMails(ctx.db.manager, await ctx.now(ctx.db.manager));
  return mailEach(rows, (due) => sendOne(ctx, send, due));
}

/** In the feed an event has a place after it was committed, so that none is passed over. */
async function writePaidNotices(ctx: CommandContext): Promise<void> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const behind: Behind[] = (await findBehind(ctx.db.manager, after)).rows;
    for (const [storeId, choices] of groupBy(behind, (choice) => choice.storeId))
      await writePaidOf(ctx, storeId, choices);
    after = behind.at(-1)?.id;
  }
}

/** A store that fails delays no other. */
async function writePaidOf(ctx: CommandContext, storeId: string, choices: readonly Behind[]): Promise<void> {
  try {
    const latest = await latestPosition(ctx, storeId);
    for (const { id, feedAfter } of choices) {
      const most = BigInt(feedAfter) + EVENTS_AT_ONCE;
      await writePaid(ctx.db.manager, id, feedAfter, String(most < latest ? most : latest));
    }
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    ctx.log.error({ storeId, err: error }, "mail: notices of payments not written, retrying");
  }
}

async function writeSummaries(ctx: CommandContext): Promise<void> {
  const { manager } = ctx.db;
  const now = await ctx.now(manager);
  for (const choice of (await findSummaries(manager, now)).rows) {
    const days = dueSummary(choice, now, choice.timeZone);
    if (days !== null)
      await writeSummary(manager, choice.id, choice.summarisedTo, days.to, `${days.from}/${days.to}`, now);
  }
}

async function sendOne(
  ctx: CommandContext,
  send: SendMail,
  { id, storeId, mailedAt, email }: DueMail,
): Promise<MailEnd> {
  const { manager } = ctx.db;
  const { count: claimed } = await claimMail(manager, id, mailedAt, await ctx.now(manager));
  const { rows: lines } = await readNotices(manager, id);
  if (claimed === 0 || lines.length === 0) return "none";
  const open = lines.filter(({ over }) => !over);
  try {
    if (open.length > 0)
      await send({ to: email, ...(await noticeMail(ctx, { choiceId: id, storeId, lines: open })) });
  } catch (error) {
    const { failure, cause } = mailFailure(error);
    ctx.log.warn({ storeId, cause }, "mail: notices not sent, retrying");
    return failure;
  }
  const sent = jsonRows(lines.map(({ kind, subject }) => ({ kind, subject })));
  await markSent(manager, id, sent, await ctx.now(manager));
  return open.length > 0 ? "sent" : "none";
}
