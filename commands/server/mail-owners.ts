import { IsNull } from "typeorm";
import { StoreMember } from "../../entities/store-member";
import { User } from "../../entities/user";
import { groupBy } from "../../domain/group-by";
import type { CommandContext } from "../context";
import { mailFailure } from "./mailing";
import type { AlertChannel, AlertMessage, SendMail } from "../ports";

/** Then the dashboard's alert has to suffice: a dead mailbox must not delay other alerts. */
const TRIES_MAX = 3;
/** In one mail, so that many changes do not fill a mailbox. */
const AT_ONCE = 1_000;
const NAMED_MAX = 20;
const MAILS_AT_ONCE = 20;

interface OwnerMail {
  to: string;
  alerts: readonly AlertMessage[];
}

/**
 * Changes of a wallet, to all owners: the person who made the change may be the only one who reads the other channels.
 */
export function makeOwnerMails(ctx: CommandContext, send: SendMail): AlertChannel {
  /** By alert and address; Infinity if accepted. May be lost: then a mail is sent twice. */
  const tries = new Map<string, number>();
  const triesOf = (alert: AlertMessage, to: string) => tries.get(nameOf(alert, to)) ?? 0;
  const openOf = ({ to, alerts }: OwnerMail): OwnerMail => ({
    to,
    alerts: alerts.filter((alert) => triesOf(alert, to) < TRIES_MAX),
  });

  /** False while the mail server accepts nothing: that is no try. */
  async function mail({ to, alerts }: OwnerMail): Promise<boolean> {
    const count = (by: number) => {
      for (const alert of alerts) tries.set(nameOf(alert, to), triesOf(alert, to) + by);
    };
    try {
      await send({ to, subject: "[Quittance] Your store's wallet was changed", text: textOf(alerts) });
      count(Infinity);
      return true;
    } catch (error) {
      const { failure, cause } = mailFailure(error);
      ctx.log.warn({ storeId: alerts[0]?.storeId, cause }, "wallet: mail to an owner not sent");
      if (failure !== "away") count(1);
      return failure !== "away";
    }
  }

  return {
    name: "owners",
    atOnce: AT_ONCE,
    async send(alerts) {
      const mails = await mailsFor(ctx, alerts);
      const open = mails.map(openOf).filter((one) => one.alerts.length > 0);
      for (let from = 0; from < open.length; from += MAILS_AT_ONCE) {
        const answers = await Promise.all(open.slice(from, from + MAILS_AT_ONCE).map(mail));
        if (answers.includes(false)) break; // the others wait for the next call, instead of one deadline after the other
      }
      if (mails.some((one) => openOf(one).alerts.length > 0))
        throw new Error("not every owner's mail was accepted");
      for (const { to, alerts: all } of mails) for (const alert of all) tries.delete(nameOf(alert, to));
    },
  };
}

const nameOf = ({ alertId }: AlertMessage, to: string): string => `${alertId} ${to}`;

async function mailsFor({ db }: CommandContext, alerts: readonly AlertMessage[]): Promise<OwnerMail[]> {
  const changes = alerts.filter(({ kind, storeId }) => kind === "wallet-changed" && storeId !== null);
  const mails: OwnerMail[] = [];
  for (const [storeId, some] of groupBy(changes, ({ storeId }) => storeId ?? "")) {
    const owners = await db.manager
      .createQueryBuilder(User, "user")
      .innerJoin(StoreMember, "member", "member.userId = user.id")
      .where({ disabledAt: IsNull() })
      .andWhere("member.storeId = :storeId AND member.role = 'owner'", { storeId })
      .orderBy("user.id")
      .getMany();
    mails.push(...owners.map(({ email: to }) => ({ to, alerts: some })));
  }
  return mails;
}

function textOf(alerts: readonly AlertMessage[]): string {
  const named = alerts.slice(-NAMED_MAX);
  const more = alerts.length - named.length;
  const lines = named.map(
    ({ at, storeId, message }) => `${at.toISOString()}, store ${storeId ?? ""}\n${message}\n`,
  );
  return [...(more > 0 ? [`${more} more changes before these.\n`] : []), ...lines].join("\n");
}
