import type { EntityManager } from "typeorm";
import { DomainError } from "../../domain/errors";
import type { NoticeKind, SummaryInterval } from "../../domain/account/notice";
import { addDays } from "../../domain/time-zone";
import { MailChoice } from "../../entities/mail-choice";
import { StoreMember } from "../../entities/store-member";
import type { CommandContext } from "../context";
import { lockStore, readCalendar } from "../../database/rows";
import { latestPosition } from "../webhooks/read-feed";
import { inTransaction } from "../transaction";
import { countChoices, writeChoice } from "./queries";
import { tokenMac } from "./unsubscribe-link";

/** A payment's mail goes to so many members of a store at most. */
const CHOICES_MAX = 50;

interface Member {
  storeId: string;
  userId: string;
}

export interface MailsChosen {
  kinds: NoticeKind[];
  summary: SummaryInterval;
}

export async function readMailChoice(ctx: CommandContext, member: Member) {
  const { timeZone } = await readCalendar(ctx, member.storeId);
  const choice = await ctx.db.manager.findOneBy(MailChoice, { ...member });
  const { kinds, summary }: MailsChosen = choice ?? { kinds: [], summary: "none" };
  // Without a mail server nothing is sent.
  return { kinds, summary, available: ctx.sendMail !== null, timeZone };
}

/**
 * From now on: nothing is sent of what happened before.
 * @throws DomainError `store-mismatch` for a server admin who is no member; `limit-reached`.
 */
export async function chooseMails(
  ctx: CommandContext,
  { storeId, userId }: Member,
  { kinds, summary }: MailsChosen,
) {
  const { dayOf } = await readCalendar(ctx, storeId);
  const feedAfter = await latestPosition(ctx, storeId);
  await inTransaction(ctx, async ({ manager, newId, now }) => {
    await lockStore(manager, storeId);
    if (!(await manager.existsBy(StoreMember, { storeId, userId })))
      throw new DomainError("store-mismatch", "Only the store's users are sent mails. Add yourself first.");
    if (kinds.length === 0 && summary === "none") {
      await manager.delete(MailChoice, { storeId, userId });
      return;
    }
    await checkRoom(manager, { storeId, userId });
    const yesterday = addDays(dayOf(await now()), -1);
    const position = feedAfter.toString();
    const place = [newId("mlc"), storeId, userId] as const;
    await writeChoice(manager, ...place, kinds, summary, position, yesterday, await now());
  });
  return readMailChoice(ctx, { storeId, userId });
}

async function checkRoom(manager: EntityManager, member: Member): Promise<void> {
  const [counted] = (await countChoices(manager, member.storeId)).rows;
  if ((counted?.count ?? 0) < CHOICES_MAX || (await manager.existsBy(MailChoice, { ...member }))) return;
  throw new DomainError(
    "limit-reached",
    `At most ${CHOICES_MAX} users of a store are sent mails. Another user has to turn them off first.`,
  );
}

/**
 * By the link at the end of a mail, without a login. Does nothing the second time.
 * @throws DomainError `link-not-found` for a link that this server did not make.
 */
export async function unsubscribe(ctx: CommandContext, token: string): Promise<void> {
  const [id = "", mac = ""] = token.split(".", 2);
  if (!ctx.secrets.macMatches(Buffer.from(mac, "base64url"), tokenMac(id)))
    throw new DomainError("link-not-found", "This link is invalid. Copy the whole link from the mail.");
  await ctx.db.manager.delete(MailChoice, { id });
}
